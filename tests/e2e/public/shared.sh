# pytorch#145703: memory behind an IPC handle. The importer's report calls it imported and sums it nowhere; the exporter's
# says that a handle may keep it.
source "$e2e/coverage/ledger.bash"
MEMTRACE_OUT=$PWD/trace.%p.bin traced "$coverage/ipc" kept
expect_status 0
expect_equal "traces" 2 "$(find . -name 'trace.*.bin' | wc -l)"
for trace in trace.*.bin; do
    ledger_of "$trace" >ledger
    report --live "$trace"
    if grep -q '^+ 4194304 imported cuIpcOpenMemHandle_v2$' ledger; then
        expect_match report.txt ': 0 bytes .* live at exit$'
        expect_match report.txt '^ *Imported from other processes, not owned.*: 4,194,304 bytes'
    else
        expect_match report.txt ': 4,194,304 bytes .* in 1 allocation live at exit$'
        expect_match report.txt '^ *Of these exported.*: 4,194,304 bytes'
    fi
    expect_match report.txt ' ipc\.c:[0-9]+ '
done
