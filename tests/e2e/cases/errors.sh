# Given programs that free what they must not, when they are traced, then --errors lists each such call with its lines,
# and says what is wrong about the address.
errors=$O/tests/e2e/coverage/errors

# reasons ROW: what --errors says of the calls of one row, without numbers that differ between machines.
reasons() {
    rm -f trace.*
    traced "$errors" "$1"
    expect_status 0
    report --errors trace.bin
    expect_status 0
    expect_match report.txt '^    at errors\.c:[0-9]+ '
    sed -nE 's/0x[0-9a-f]+/ADDRESS/g; s/[0-9.]+ s\b/# s/g; s/errors\.c:[0-9]+/errors.c:#/g
        /^  [a-zA-Z]/p; /^    at /!{ /^    /p }' report.txt
}

reasons invalid-free >found
expect_same - found <<'END'
  cuMemFree of ADDRESS: CUDA_ERROR_INVALID_VALUE (1), after # s
    nothing was allocated there, as far as the trace goes
  cuMemFree of ADDRESS: CUDA_ERROR_INVALID_VALUE (1), after # s
    512 bytes inside of 2,097,152 bytes (2.00 MiB), allocated by cuMemAlloc at errors.c:# allocate
END

reasons double-free >found
expect_same - found <<'END'
  cuMemFree of ADDRESS: CUDA_ERROR_INVALID_VALUE (1), after # s
    gone already: 2,097,152 bytes (2.00 MiB), allocated by cuMemAlloc at errors.c:# allocate, ended after # s by cuMemFree at errors.c:# try_free
END

reasons wrong-kind >found
expect_match found '^    another kind of memory, pinned: 1,048,576 bytes \(1.00 MiB\), allocated by cuMemHostAlloc at errors\.c:# wrong_kind$'
expect_match found '^    another kind of memory, device: 1,048,576 bytes \(1.00 MiB\), allocated by cuMemAlloc at errors\.c:# allocate$'
