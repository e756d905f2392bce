# Given what a script printed and what the report says, when the comparisons for PyTorch hold them against each other,
# then equal figures are 0 mismatches and each difference is counted and printed.
sim_only
command -v python3 >/dev/null || skip "no python3 on this machine"
compare=$source_root/tests/gpu/torch

cat >report <<'END'
#!/bin/sh
case $1 in
--ledger) cat <<'LEDGER' ;;
+ 2097152 device cuMemAlloc_v2
+ 4194304 physical cuMemCreate
@ 0 tensors 4194304 peak 4194304 segments 20971520 physical 25165824 allocator 4194304 pools 0 model defined
@ 1 tensors 512 peak 512 segments 2097152 physical 2097152 allocator 512 pools 0 model defined
- 4194304 physical cuMemUnmap
@ 0 tensors 4198400 peak 4198912 segments 20971520 physical 20971520 allocator 4198400 pools 0 forward 0
LEDGER
--dump) cat <<'DUMP' ;;
0.1 7 allocated cuMemAlloc_v2 address=0x1000 bytes=2097152 | libc10_cuda.so+0x1 < model.py:9 __init__
0.2 7 allocated torch malloc address=0x1000 bytes=512 context=1 | libc10_cuda.so+0x1 < model.py:9 __init__ < t.py:1 <module>
0.3 8 allocated torch malloc address=0x4000 bytes=3145728 context=1 | libc10_cuda.so+0x1 < libtorch_cpu.so+0x2
0.4 7 freed torch free address=0x1000 context=1 | libc10_cuda.so+0x3 < t.py:5 <module>
0.5 7 freed torch free address=0x4000 context=1 | libc10_cuda.so+0x3
DUMP
esac
END
chmod +x report

cat >printed <<'END'
loading
checkpoint model defined allocated 4194304 peak 4194304 reserved 20971520
checkpoint forward 0 allocated 4198400 peak 4198912 reserved 20971520
END
python3 $compare/compare_checkpoints.py --report ./report printed trace.bin >out 2>err
expect_equal checkpoints "0 2 checkpoints, 0 mismatches" "$? $(cat out)"
sed -i 's/peak 4198912/peak 4198913/' printed
echo 'checkpoint never marked allocated 1 peak 1 reserved 1' >>printed
python3 $compare/compare_checkpoints.py --report ./report printed trace.bin >out 2>err
expect_equal "wrong checkpoints" "1 1 forward 0: peak 4198912 (printed: 4198913)
2: printed 'never marked', marked None
3 checkpoints, 2 mismatches" "$? $(cat out)"

# What other programs print of their allocators, and another meaning of torch's words.
cat >printed <<'END'
checkpoint model defined live-device 2097152 live-physical 4194304 pools 0
checkpoint forward 0 live-device 2097152 live-physical 0 pools 1
END
python3 $compare/compare_checkpoints.py --report ./report printed trace.bin >out 2>err
expect_equal "another's checkpoints" "1 1 forward 0: pools 0 (printed: 1)
2 checkpoints, 1 mismatches" "$? $(cat out)"
cat >printed <<'END'
checkpoint model defined allocated 4194304 peak 7 reserved 4194304
checkpoint forward 0 allocated 4198400 peak 7 reserved 2
END
python3 $compare/compare_checkpoints.py --report ./report --figures allocated=allocator,reserved=live-physical \
    printed trace.bin >out 2>err
expect_equal "figures by another name" "1 1 forward 0: reserved 0 (printed: 2)
2 checkpoints, 1 mismatches" "$? $(cat out)"

# A large block may be bigger than the request; a small one is its request rounded up.
cat >recorded <<'END'
[["alloc", 40, "/home/me/model.py", 9, 4096], ["alloc", 2500000, "", 0, 16384],
 ["free_completed", 40, "/home/me/t.py", 5, 4096]]
END
python3 $compare/compare_recorder.py --report ./report recorded trace.bin >out 2>err
expect_equal events "0 3 tensor events, 0 mismatches; 1 more after torch's recorder ended" "$? $(cat out)"
sed -i 's/"alloc", 40,/"alloc", 513,/; s/t.py", 5,/t.py", 6,/; s/16384/20480/' recorded
python3 $compare/compare_recorder.py --report ./report recorded trace.bin >out 2>err
expect_equal "wrong events" 1 $?
expect_match out "^0: torch \('alloc', 513, 'model.py:9', 4096\), memtrace \('alloc', 512, 'model.py:9', 4096\)$"
expect_match out "^1: torch \('alloc', 2500000, '', 20480\), memtrace \('alloc', 3145728, '', 16384\)$"
expect_match out "^2: torch \('free', 40, 't.py:6', 4096\), memtrace \('free', 512, 't.py:5', 4096\)$"
expect_match out "^3 tensor events, 3 mismatches"
