/*
 * What a process may still use of memory, by files as the kernel writes them; and the share of it that a trace takes.
 */
#include "tests/unit/trace_files.h"
#include "tracer/room.h"

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { MIB = 1 << 20 };

// Writes a file below the test's folder, and the folders that it lies in.
static void put(void **state, const char *name, const char *text) {
    char *path = path_in(state, name);
    for (char *slash = strchr(path + strlen(*state) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    bytes_write(path, text, strlen(text));
    free(path);
}

static int remove_one(const char *path, const struct stat *status, int flag, struct FTW *place) {
    (void)status, (void)flag, (void)place;
    return remove(path);
}

static int tree_remove(void **state) {
    int failed = nftw(*state, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(*state);
    return failed;
}

static void nothing_known_is_no_limit(void **state) {
    assert_int_equal(mt_room_memory(*state), UINT64_MAX);
}

static void available_memory_is_the_limit(void **state) {
    put(state, "proc/meminfo", "MemTotal:  8192 kB\nMemAvailable:    1024 kB\n");
    assert_int_equal(mt_room_memory(*state), 1 * MIB);
}

static void a_container_has_its_groups_limit(void **state) {
    put(state, "proc/meminfo", "MemAvailable:    1048576 kB\n");
    put(state, "proc/self/cgroup", "0::/\n");
    put(state, "sys/fs/cgroup/memory.max", "268435456\n");
    put(state, "sys/fs/cgroup/memory.current", "67108864\n");
    assert_int_equal(mt_room_memory(*state), 192 * MIB);
}

static void the_narrowest_group_above_counts(void **state) {
    put(state, "proc/self/cgroup", "0::/service/job\n");
    put(state, "sys/fs/cgroup/service/job/memory.max", "max\n");
    put(state, "sys/fs/cgroup/service/job/memory.current", "1048576\n");
    put(state, "sys/fs/cgroup/service/memory.max", "4194304\n");
    put(state, "sys/fs/cgroup/service/memory.current", "1048576\n");
    assert_int_equal(mt_room_memory(*state), 3 * MIB);
}

static void version_1_has_other_files(void **state) {
    put(state, "proc/self/cgroup", "9:cpu,cpuacct:/job\n5:memory:/job\n");
    put(state, "sys/fs/cgroup/memory/job/memory.limit_in_bytes", "2097152\n");
    put(state, "sys/fs/cgroup/memory/job/memory.usage_in_bytes", "3145728\n");
    assert_int_equal(mt_room_memory(*state), 0);
}

static void a_disk_gives_half_of_what_is_free(void **state) {
    int fd = open(*state, O_RDONLY | O_DIRECTORY);
    struct statvfs system;
    assert_int_equal(fstatvfs(fd, &system), 0);
    uint64_t share = mt_room_share(fd), available = (uint64_t)system.f_bavail * system.f_bsize;
    close(fd);
    assert_true(share >= MIB && share <= available); // others write meanwhile
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_known_is_no_limit, folder_make, tree_remove),
        cmocka_unit_test_setup_teardown(available_memory_is_the_limit, folder_make, tree_remove),
        cmocka_unit_test_setup_teardown(a_container_has_its_groups_limit, folder_make, tree_remove),
        cmocka_unit_test_setup_teardown(the_narrowest_group_above_counts, folder_make, tree_remove),
        cmocka_unit_test_setup_teardown(version_1_has_other_files, folder_make, tree_remove),
        cmocka_unit_test_setup_teardown(a_disk_gives_half_of_what_is_free, folder_make, tree_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
