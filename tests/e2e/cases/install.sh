# Given a build, when it is installed under DESTDIR and PREFIX, then the library and the report stand there and work,
# stripped, and uninstalling leaves no file. Given none, then installing builds these two and no test.
sim_only
unset MAKEFLAGS MFLAGS MAKELEVEL
make_here() { make --no-print-directory -C "$source_root" O="$O" DESTDIR="$PWD/root" PREFIX=/usr "$@" >make.out 2>&1; }
make_here install || { cat make.out && fail "make install"; }
expect_equal "files" "./usr/bin/memtrace-report ./usr/lib/libmemtrace.so" "$(cd root && find . -type f | sort | xargs)"
library=$PWD/root/usr/lib/libmemtrace.so
for file in "$library" root/usr/bin/memtrace-report; do
    ! readelf -S "$file" | grep -q '\.symtab' || fail "$file is not stripped"
done
traced "$programs/kinds"
expect_status 7
root/usr/bin/memtrace-report --summary trace.bin >report.txt || fail "the installed report"
make_here install O=none -n || { cat make.out && fail "make -n install"; }
! grep -E '(CC|NVCC|-c) .*(tests|samples|kernels)/' make.out || fail "make install builds more than it installs"
make_here uninstall || { cat make.out && fail "make uninstall"; }
expect_equal "files" "" "$(find root -type f)"
