# Given a library behind ours that ends the process when we enter the dynamic linker within an event, then no program
# ends so, whatever it calls: first calls, new stacks, new threads and contexts, failures.
sim_only
loader=$O/tests/e2e/faults/loader
coverage=$O/tests/e2e/coverage

# Before glibc 2.35 the module of an initialiser, which no list has yet, is asked for by dl_iterate_phdr.
without_lock() {
    local version
    version=$(getconf GNU_LIBC_VERSION)
    [ "$(printf '%s\n' 2.35 "${version#glibc }" | sort -V | head -n 1)" = 2.35 ]
}

watched() {
    LD_PRELOAD=$library:$loader/shim.so exec "$@"
}

for MEMTRACE_FEED in hooks cupti both; do
    export MEMTRACE_FEED
    if without_lock; then
        traced watched timeout 30 "$loader/pool" "$loader/initialiser.so"
        expect_status 0
        expect_equal "output" "entered outside of events done" "$(echo $(cat out))"
    fi
    for program in linear host pools vmm arrays ipc graphs captures contexts launches errors ptsz; do
        for row in $(LD_LIBRARY_PATH=$program_libraries "$coverage/$program"); do
            case $row in
            shared | closed-first | held | kept) continue ;; # two processes
            esac
            traced watched timeout 30 "$coverage/$program" $row
            [ "$status" = 0 ] || [ "$status" = 77 ] || fail "$program $row: exit code $status"
            expect_no_match err 'within an event'
        done
    done
done
