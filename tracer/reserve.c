/*
 * Disk blocks and descriptors for file.h: reserve before use, so that a full disk is an error code here and never a
 * SIGBUS in the program; and never touch a descriptor that the program has closed and used again. The signal that a
 * limit on file sizes kills with (SIGXFSZ) is kept from the program, too.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tracer/file.h"

enum { FIRST_DESCRIPTOR = 256 };

bool mt_descriptor_is(const struct mt_file *file, int fd) {
    struct stat status;
    return fstat(fd, &status) == 0 && status.st_dev == file->device && status.st_ino == file->inode &&
           (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR;
}

int mt_descriptor_settle(int fd) {
    int high = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR);
    if (high < 0) return fd;
    close(fd);
    return high;
}

int mt_file_descriptor(struct mt_file *file) {
    if (file->fd < 0 || !mt_descriptor_is(file, file->fd)) file->fd = mt_file_reopen(file);
    return file->fd;
}

void mt_file_leave(struct mt_file *file) {
    if (file->fd >= 0 && mt_descriptor_is(file, file->fd)) close(file->fd);
    file->fd = -1;
}

// Growing a file past RLIMIT_FSIZE raises SIGXFSZ, which kills: look before. The limit may be lowered afterwards.
int mt_file_check_limit(uint64_t end) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && end > limit.rlim_cur) return -EFBIG;
    return 0;
}

bool mt_file_header_is_ours(const struct mt_file *file, const struct mt_file_header *header) {
    const struct mt_file_header *own = &file->header;
    return memcmp(header->magic, own->magic, sizeof header->magic) == 0 && header->pid == own->pid &&
           header->start_monotonic_ns == own->start_monotonic_ns && header->start_realtime_ns == own->start_realtime_ns;
}

bool mt_file_is_whole(struct mt_file *file) {
    struct mt_file_header header;
    struct stat status;
    if (file->cut) return false;
    int fd = mt_file_descriptor(file);
    // A file that can't be looked at is not known to be cut: whoever writes to it finds out.
    if (fd < 0 || fstat(fd, &status) != 0) return true;
    ssize_t bytes = pread(fd, &header, sizeof header, 0);
    if (bytes < 0) return true;
    if ((uint64_t)status.st_size < file->extent || bytes != (ssize_t)sizeof header ||
        !mt_file_header_is_ours(file, &header))
        file->cut = true;
    return !file->cut;
}

static void extend(struct mt_file *file, uint64_t end) {
    if (end > file->extent) file->extent = end;
}

int mt_file_write(struct mt_file *file, const void *data, size_t bytes, uint64_t offset) {
    const char *at = data;
    if (file->cut) return -ESTALE;
    int error = mt_file_check_limit(offset + bytes);
    if (error != 0) return error;
    int fd = mt_file_descriptor(file);
    if (fd < 0) return fd;
    while (bytes > 0) {
        ssize_t written = pwrite(fd, at, bytes, (off_t)offset);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0 && errno == EFBIG) mt_guard_drop(SIGXFSZ);
        if (written < 0) return -errno;
        if (written == 0) return -ENOSPC;
        at += written;
        bytes -= (size_t)written;
        offset += (uint64_t)written;
    }
    extend(file, offset);
    return 0;
}

int mt_file_reserve(struct mt_file *file, uint64_t offset, uint64_t bytes) {
    int error = mt_file_check_limit(offset + bytes);
    if (error != 0) return error;
    int fd = mt_file_descriptor(file);
    if (fd < 0) return fd;
    while (fallocate(fd, 0, (off_t)offset, (off_t)bytes) != 0) {
        if (errno == EINTR) continue;
        if (errno == EFBIG) mt_guard_drop(SIGXFSZ);
        return -errno;
    }
    extend(file, offset + bytes);
    return 0;
}
