# The helpers of the end-to-end cases. run.sh starts `bash lib.sh CASE.sh` in an empty folder with O, DEVICE and UPDATE
# set; the first expectation that fails ends the case with a message, `skip` ends it unjudged.
# After `traced`, `plain` and `report`: $status is the exit code (128 + n for signal n), and the text is in out and err,
# or report.txt and report.err.
set -u
e2e=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
source_root=$(realpath "$e2e/../..")
samples=$O/samples
programs=$O/tests/e2e/programs
library=$(realpath "${LIBRARY:-$O/libmemtrace.so}") # LIBRARY: another build of it
attach=preload # or: injection (CUDA_INJECTION64_PATH alone)

if [ "$DEVICE" = sim ]; then
    program_libraries=$O/simcuda
    report_libraries=
else
    # Libraries that the machine lacks travel in gpu-libs; gpu/check.sh adds the folder of the CUDA runtime.
    program_libraries=${GPU_LIBRARIES:-}
    report_libraries=${GPU_LIBRARIES:-}
fi

fail() {
    echo "FAILED: $*"
    for file in err report.err; do
        [ ! -s $file ] || { echo "--- $file" && head -n 20 $file; }
    done
    exit 1
}

skip() {
    echo "$*"
    exit 77
}

# A case about the report or the file system alone has nothing to learn from a GPU; run.sh leaves it out there.
sim_only() {
    [ "$DEVICE" = sim ] || skip "says nothing of the device"
}

# Runs a program on the device, untraced.
plain() {
    LD_LIBRARY_PATH=$program_libraries "$@" >out 2>err
    status=$?
}

# Runs a program on the device under the tracer; the trace is trace.bin unless MEMTRACE_OUT says otherwise.
traced() {
    (
        export LD_LIBRARY_PATH=$program_libraries MEMTRACE_OUT=${MEMTRACE_OUT-$PWD/trace.bin}
        [ $attach = preload ] && export LD_PRELOAD=$library || export CUDA_INJECTION64_PATH=$library
        [ "$(type -t "$1")" = function ] || set -- exec "$@"
        "$@"
    ) >out 2>err
    status=$?
}

report() {
    LD_LIBRARY_PATH=$report_libraries "$O/memtrace-report" "$@" >report.txt 2>report.err
    status=$?
}

expect_status() {
    [ "$status" = "$1" ] || fail "exit code $status, expected $1"
}

# expect_equal WHAT EXPECTED ACTUAL
expect_equal() {
    [ "$2" = "$3" ] || fail "$1: expected '$2', got '$3'"
}

# expect_same EXPECTED_FILE ACTUAL_FILE
expect_same() {
    diff -u "$1" "$2" || fail "$2 differs from $1"
}

# expect_match FILE REGEX: some line matches.
expect_match() {
    grep -Eq -- "$2" "$1" || { head -n 40 "$1" && fail "$1: no line matches: $2"; }
}

expect_no_match() {
    ! grep -En -- "$2" "$1" || fail "$1: a line matches: $2"
}

expect_lines() {
    expect_equal "lines in $1" "$2" "$(wc -l <"$1")"
}

expect_file() {
    [ -f "$1" ] || fail "$1: no such file"
}

expect_no_file() {
    [ ! -e "$1" ] || fail "$1 should not exist"
}

# golden NAME: what the last `report` printed, normalised, is golden/NAME.txt.
golden() {
    "$e2e/normalise.sh" <report.txt >"$1.txt"
    [ -z "$UPDATE" ] || cp "$1.txt" "$e2e/golden/$1.txt"
    echo no >golden-equal
    expect_same "$e2e/golden/$1.txt" "$1.txt"
    echo yes >golden-equal # for check-gpu's table: equal to the simulated device's report
}

# allocations_of BYTES: how many allocations of this size the last `report --dump` shows.
allocations_of() {
    grep -cE "^[0-9.]+ [0-9]+ allocated .* bytes=$1( |\$)" report.txt
}

# What the samples' --ledger lines (out) and the last `report --dump` say of each event, both as lines
#   SIGN BYTES FILE:LINE FUNCTION     SIGN is + allocated, - freed, ! refused
# The line is the innermost frame in a source file of ours; C++ arguments are left out. A caching allocator's segments
# count as allocations too; a segment and its first block have one address, but are told by different calls.
ledger_events() {
    awk '$1 == "ledger" && $2 ~ /^[-+!<>]$/ {
        print $2 == ">" ? "+" : $2 == "<" ? "-" : $2, $3, $(NF - 2), $(NF - 3)
    }' out
}

dump_events() {
    awk '
        function field(name,   at) {
            at = index($0, " " name "=")
            return at ? substr($0, at + length(name) + 2, match(substr($0, at + length(name) + 2) " ", / /) - 1) : ""
        }
        function place(   frames, count, i) {
            count = split(substr($0, index($0, " | ") + 3), frames, " < ")
            for (i = 1; i <= count; i++)
                if (frames[i] ~ /^[a-z_]+\.(cu|c|cpp):[0-9]+ /) {
                    sub(/\(.*/, "", frames[i])
                    return frames[i]
                }
            return "nowhere"
        }
        { block = ($4 ~ /^nvtx/ ? "region " : "") field("address") }
        $3 == "allocated" { print "+", bytes[block] = field("bytes"), place() }
        $3 == "freed"     { print "-", bytes[block], place() }
        $3 == "failed"    { print "!", field("bytes"), place() }' report.txt
}

# expect_events COUNT SIGN BYTES FUNCTION: so many such events in dump.events (below).
expect_events() {
    expect_equal "events $2 $3 in $4" "$1" "$(grep -cE "^[$2] $3 [a-z_]+\.cu:[0-9]+ $4\$" dump.events)"
}

# After `traced SAMPLE --ledger` and `report --dump`: the same events, bytes, lines and functions, in the same order.
expect_ledger_is_dump() {
    ledger_events >ledger.events
    dump_events >dump.events
    [ -s ledger.events ] || fail "the program printed no ledger"
    expect_same ledger.events dump.events
}

source "$1"
