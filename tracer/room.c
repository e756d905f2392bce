/*
 * The share of room.h. Called once by create.c; reads a few small files of the kernel.
 */
#include "tracer/room.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

// Half of what is free. A small disk is filled: it is no loss to others, and traces are small.
#define SHARE      2
#define DISK_LEAST (64u << 20)

// Bytes read, or 0; the text is terminated.
static size_t read_text(const char *path, char *text, size_t bytes) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return 0;
    ssize_t got = read(fd, text, bytes - 1);
    close(fd);
    text[got > 0 ? got : 0] = '\0';
    return got > 0 ? (size_t)got : 0;
}

static bool read_number(const char *folder, const char *name, uint64_t *number) {
    char path[2 * PATH_MAX], text[64], *end;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (read_text(path, text, sizeof text) == 0) return false;
    *number = strtoull(text, &end, 10);
    return end != text; // "max" is no number
}

// What the groups from `group` upwards leave, each of which has its own limit.
static uint64_t left_in_groups(const char *root, const char *mount, const char *group, const char *limit_name,
                               const char *used_name) {
    char folder[PATH_MAX];
    uint64_t left = UINT64_MAX, limit, used;
    int mount_length = snprintf(folder, sizeof folder, "%s%s%s", root, mount, group);
    if (mount_length < 0 || (size_t)mount_length >= sizeof folder) return left;
    mount_length = (int)(strlen(root) + strlen(mount));
    for (;;) {
        if (read_number(folder, limit_name, &limit) && read_number(folder, used_name, &used)) {
            uint64_t rest = limit > used ? limit - used : 0;
            if (rest < left) left = rest;
        }
        char *slash = strrchr(folder, '/');
        if (slash == NULL || slash < folder + mount_length) return left;
        *slash = '\0';
    }
}

// Lines are "0::/group" for version 2, "5:memory:/group" for version 1.
static uint64_t left_by_group_line(const char *root, char *line) {
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (group == NULL) return UINT64_MAX;
    *controllers++ = *group++ = '\0';
    if (strcmp(group, "/") == 0) group = "";
    if (*controllers == '\0') return left_in_groups(root, "/sys/fs/cgroup", group, "memory.max", "memory.current");
    if (strcmp(controllers, "memory") != 0) return UINT64_MAX;
    return left_in_groups(root, "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes", "memory.usage_in_bytes");
}

static uint64_t left_in_system(const char *root) {
    char path[PATH_MAX], text[1024];
    uint64_t kib;
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    const char *line = read_text(path, text, sizeof text) ? strstr(text, "MemAvailable:") : NULL;
    return line && sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1 ? kib << 10 : UINT64_MAX;
}

uint64_t mt_room_memory(const char *root) {
    char path[PATH_MAX], text[4096], *rest = NULL;
    uint64_t left = left_in_system(root);
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    if (read_text(path, text, sizeof text) == 0) return left;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        uint64_t in_group = left_by_group_line(root, line);
        if (in_group < left) left = in_group;
    }
    return left;
}

uint64_t mt_room_share(int fd) {
    struct statfs system;
    if (fstatfs(fd, &system) != 0 || system.f_bsize <= 0) return 0;
    bool in_memory = (uint32_t)system.f_type == 0x01021994 || (uint32_t)system.f_type == 0x858458f6; // tmpfs, ramfs
    uint64_t share = (uint64_t)system.f_bavail * (uint64_t)system.f_bsize / SHARE;
    if (share < DISK_LEAST) share = DISK_LEAST;
    uint64_t memory = in_memory ? mt_room_memory("") / SHARE : UINT64_MAX;
    return memory < share ? memory : share;
}
