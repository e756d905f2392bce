/*
 * How a trace gets its name: never over a trace that somebody still writes, never over a file that is no trace, and
 * always a file of its own when several processes start at once with one name. Called by create.c and lane.c.
 *
 * A process starts in a file that bears its pid, `trace.<pid>.bin`, and takes the name that was asked for when its
 * first event comes: a launcher that only counts the devices is in nobody's way. Of the processes that one command has
 * started (a family), the first to record has the name, unless one above it records, too: then that one takes it. What
 * an earlier command left becomes `path`.old.
 *
 * A live writer holds an exclusive flock. What can be locked is therefore finished or abandoned (its writer was
 * killed).
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "tracer/file.h"

enum {
    CLAIM_TRIES = 32,    // each lost race with another process costs one
    SIBLING_NAMES = 256, // of one process
};

int mt_make_absolute(const char *path, char out[PATH_MAX]) {
    size_t length = 0;
    if (path[0] == '\0') return -ENOENT;
    if (path[0] != '/') {
        if (getcwd(out, PATH_MAX) == NULL) return -errno;
        length = strlen(out);
        if (out[length - 1] != '/') out[length++] = '/';
    }
    if (length + strlen(path) >= PATH_MAX) return -ENAMETOOLONG;
    strcpy(out + length, path);
    return 0;
}

// trace.<pid>.bin, trace.<pid>-1.bin, …
static void name_sibling(char out[MT_NAME_BYTES], const char *path, uint32_t pid, int number) {
    const char *base = strrchr(path, '/') + 1;
    const char *suffix = strrchr(base, '.');
    if (suffix == NULL || suffix == base) suffix = base + strlen(base);
    int stem = (int)(suffix - path);
    if (number == 0)
        snprintf(out, MT_NAME_BYTES, "%.*s.%u%s", stem, path, pid, suffix);
    else
        snprintf(out, MT_NAME_BYTES, "%.*s.%u-%d%s", stem, path, pid, number, suffix);
}

// Only a regular file is opened: opening a device or a pipe could act on it or wait. Nor is a link followed: it may
// have been put there to have another file written to.
static int open_existing(const char *path) {
    struct stat status;
    if (lstat(path, &status) != 0) return -errno;
    if (S_ISDIR(status.st_mode)) return -EISDIR;
    if (!S_ISREG(status.st_mode)) return -EEXIST;
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd >= 0 || errno != ELOOP) return fd < 0 ? -errno : fd;
    return -EEXIST;
}

// What a file is that stands where a trace is to go.
enum found { EMPTY, ANOTHERS, LIVE, OLD };

// Locks the file if it can be, until it is closed.
static enum found look(int fd, struct mt_file_header *header) {
    static const char zeros[sizeof header->magic];
    struct stat status;
    bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
    bool is_live = !locked && errno == EWOULDBLOCK;
    if (fstat(fd, &status) != 0) return ANOTHERS;
    // An empty file of another user may have been put there as a trap: its owner could cut it under our mapping. One of
    // our own that is locked is a trace that just begins.
    if (status.st_size == 0) return is_live ? LIVE : locked && status.st_uid == geteuid() ? EMPTY : ANOTHERS;
    memset(header, 0, sizeof *header);
    if (pread(fd, header, sizeof *header, 0) != (ssize_t)sizeof *header) return ANOTHERS;
    // All zero: its writer was killed, or the machine went down, between reserving and writing the header.
    if (memcmp(header->magic, MT_MAGIC, sizeof zeros) != 0 && memcmp(header->magic, zeros, sizeof zeros) != 0)
        return ANOTHERS;
    // Without locks a file that says it is being written must be believed.
    return is_live || (!locked && header->state != MT_STATE_FINISHED) ? LIVE : OLD;
}

static bool still_means(const char *path, int fd) {
    struct stat opened, named;
    return fstat(fd, &opened) == 0 && lstat(path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

// 0, or -EEXIST when there is a file of the new name.
static int rename_to_free(const char *from, const char *to) {
    if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1 /* RENAME_NOREPLACE */) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return -errno;
    // A file system, or a kernel, without this: an empty file keeps the name meanwhile.
    int fd = open(to, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600);
    if (fd < 0) return -errno;
    close(fd);
    return rename(from, to) == 0 ? 0 : -errno;
}

// An older trace gives way, and an `.old` only if it is one, too. That of an earlier command goes without a word.
static int move_aside(struct mt_file *file, const char *path) {
    char old[MT_NAME_BYTES + 8];
    struct mt_file_header header;
    snprintf(old, sizeof old, "%s.old", path);
    int error = rename_to_free(path, old);
    if (error != -EEXIST) return error;
    int fd = open_existing(old);
    if (fd < 0) return fd;
    enum found found = look(fd, &header);
    close(fd);
    if (found != OLD && found != EMPTY) return -EEXIST;
    if (rename(path, old) != 0) return -errno;
    if (found == OLD && header.family != 0 && header.family == file->header.family) file->naming.replaced_old = true;
    return 0;
}

// A file of that name that only this process can have made; -EBUSY when the name is somebody else's.
static int create_own(struct mt_file *file, const char *path) {
    struct mt_file_header header;
    for (int i = 0; i < CLAIM_TRIES; i++) {
        int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600);
        if (fd < 0 && errno != EEXIST) return -errno;
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            close(fd);
            return -EBUSY;
        }
        if (fd >= 0) return mt_descriptor_settle(fd);
        // One of an earlier process with this pid.
        fd = open_existing(path);
        if (fd == -ENOENT) continue;
        if (fd < 0) return -EBUSY;
        bool is_old = look(fd, &header) == OLD && still_means(path, fd) && move_aside(file, path) == 0;
        close(fd);
        if (!is_old) return -EBUSY;
    }
    return -EBUSY;
}

// Whether the name can be ours at all: 0, or why not.
static int check_wanted(const char *path) {
    struct mt_file_header header;
    int fd = open_existing(path);
    if (fd == -ENOENT) return 0;
    if (fd < 0) return fd;
    struct stat status;
    bool is_empty = fstat(fd, &status) == 0 && status.st_size == 0;
    enum found found = look(fd, &header);
    close(fd);
    return found == ANOTHERS && !is_empty ? -EEXIST : 0;
}

int mt_file_create_name(struct mt_file *file) {
    int error = check_wanted(file->naming.wanted);
    if (error != 0) return error;
    file->fd = -EBUSY;
    for (int i = 0; i < SIBLING_NAMES && file->fd == -EBUSY; i++) {
        name_sibling(file->path, file->naming.wanted, (uint32_t)getpid(), i);
        file->fd = create_own(file, file->path);
    }
    return file->fd < 0 ? file->fd : 0;
}

// The trace of a process below us, or one that can't become `.old`, gets the name of a sibling.
static bool push_down(struct mt_file *file, const struct mt_file_header *holder) {
    for (int i = 0; i < SIBLING_NAMES; i++) {
        name_sibling(file->naming.other_path, file->naming.wanted, holder->pid, i);
        int error = rename_to_free(file->naming.wanted, file->naming.other_path);
        if (error == 0) {
            file->naming.pushed_down = true;
            return true;
        }
        if (error != -EEXIST) return false;
    }
    return false;
}

// A shell may become the last program of its script, by exec: those before it are not below that.
static bool is_below(const struct mt_file *file, const struct mt_file_header *holder) {
    return holder->level > file->header.level && holder->start_monotonic_ns > file->since_ns;
}

// Whether the name may have become free.
static bool make_way(struct mt_file *file) {
    const char *wanted = file->naming.wanted;
    struct mt_file_header holder = {.pid = 0};
    int fd = open_existing(wanted);
    if (fd == -ENOENT) return true;
    if (fd < 0) return false;
    enum found found = look(fd, &holder);
    bool is_family = file->header.family != 0 && holder.family == file->header.family;
    bool gone = false;
    if (!still_means(wanted, fd))
        gone = true;
    else if (found == EMPTY)
        gone = unlink(wanted) == 0;
    else if (found != ANOTHERS && is_family && is_below(file, &holder))
        gone = push_down(file, &holder);
    else if (found == OLD && (!is_family || holder.pid == file->header.pid)) // that of the program that exec replaced
        gone = move_aside(file, wanted) == 0 || push_down(file, &holder);
    close(fd);
    file->naming.holder_pid = holder.pid;
    return gone;
}

void mt_file_settle(struct mt_file *file) {
    if (file->settled) return;
    file->settled = true;
    file->naming.to_tell = true;
    if (!mt_file_has_name(file)) return;
    for (int i = 0; i < CLAIM_TRIES; i++) {
        int error = rename_to_free(file->path, file->naming.wanted);
        if (error == 0) {
            file->naming.is_wanted = true;
            strcpy(file->path, file->naming.wanted);
            return;
        }
        if (error != -EEXIST || !make_way(file)) return;
    }
}

bool mt_file_is_settled(struct mt_file *file) {
    mt_lock_take(&file->lock);
    bool settled = file->settled;
    mt_lock_drop(&file->lock);
    return settled;
}

bool mt_file_is_removed(struct mt_file *file) {
    struct stat status;
    int fd = mt_file_descriptor(file);
    return fd >= 0 && fstat(fd, &status) == 0 && status.st_nlink == 0;
}

bool mt_file_has_name(const struct mt_file *file) {
    struct stat named;
    return lstat(file->path, &named) == 0 && named.st_dev == file->device && named.st_ino == file->inode;
}

// A finished or abandoned file may have been renamed by the next run that took its name, a live one by a process above.
int mt_file_reopen(struct mt_file *file) {
    char path[MT_NAME_BYTES + 8];
    for (int i = -2; i < 2; i++) {
        if (i == -2)
            strcpy(path, file->path);
        else if (i == -1)
            snprintf(path, sizeof path, "%s.old", file->path);
        else
            name_sibling(path, file->naming.wanted, file->header.pid, i);
        int fd = open_existing(path);
        if (fd < 0) continue;
        if (mt_descriptor_is(file, fd)) {
            flock(fd, LOCK_EX | LOCK_NB);
            return mt_descriptor_settle(fd);
        }
        close(fd);
    }
    return -EBADF;
}
