# Given a process without the right to write into its folder (a service's user, say), then it is not harmed: one line
# says why there is no trace.
command -v setpriv >/dev/null || skip "no setpriv"
[ "$(id -u)" = 0 ] || skip "only root becomes somebody else"
chmod 755 .
setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$O/tests/e2e/life/ends" || skip "nobody may not run it here"
export MEMTRACE_OUT=trace.bin
traced setpriv --reuid 65534 --regid 65534 --clear-groups "$O/tests/e2e/life/ends" return
expect_status 0
expect_lines err 1
expect_no_file trace.bin
