/*
 * How a trace gets its name and its file: never over a trace that somebody still writes, never over a file that is no
 * trace, and always to a file of its own when several processes start at once with one name. Called by mt_trace_create.
 *
 * A live writer holds an exclusive flock. What can be locked is therefore finished or abandoned (its writer was killed)
 * and becomes `path`.old. Whoever locks a file checks afterwards that the name still means it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>

#include "tracer/clock.h"
#include "tracer/file.h"

enum {
    CLAIM_TRIES = 32,    // each lost race with another process costs one
    SIBLING_NAMES = 256, // of one process
};

static int make_absolute(const char *path, char out[PATH_MAX]) {
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

// trace.bin, trace.<pid>.bin, trace.<pid>-1.bin, …
static void name_candidate(char *out, size_t bytes, const char *path, int number) {
    const char *base = strrchr(path, '/') + 1;
    const char *suffix = strrchr(base, '.');
    if (suffix == NULL || suffix == base) suffix = base + strlen(base);
    int stem = (int)(suffix - path);
    if (number == 0)
        snprintf(out, bytes, "%s", path);
    else if (number == 1)
        snprintf(out, bytes, "%.*s.%d%s", stem, path, (int)getpid(), suffix);
    else
        snprintf(out, bytes, "%.*s.%d-%d%s", stem, path, (int)getpid(), number - 1, suffix);
}

// Only a regular file is opened: opening a device or a pipe could act on it or wait.
static int open_existing(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) return -errno;
    if (S_ISDIR(status.st_mode)) return -EISDIR;
    if (!S_ISREG(status.st_mode)) return -EEXIST;
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

// -EEXIST for a file that is no trace; it stays as it is. Else whether the trace was finished.
static int read_older(int fd, bool *finished) {
    struct mt_file_header header;
    static const char zeros[8];
    ssize_t bytes = pread(fd, &header, sizeof header, 0);
    if (bytes != (ssize_t)sizeof header) return -EEXIST;
    // All zero: its writer was killed, or the machine went down, between reserving and writing the header.
    if (memcmp(header.magic, MT_MAGIC, 8) != 0 && memcmp(header.magic, zeros, 8) != 0) return -EEXIST;
    *finished = header.state == MT_STATE_FINISHED;
    return 0;
}

static int move_aside(const char *path) {
    char old[PATH_MAX + 64];
    snprintf(old, sizeof old, "%s.old", path);
    return rename(path, old) == 0 ? 0 : -errno;
}

enum verdict { OURS, TAKEN, AGAIN, REFUSED };

// What the opened file means for us. `created`: by this open, which no other process can say of the same file.
static enum verdict judge(const char *path, int fd, bool created, int *error) {
    struct stat opened, named;
    bool finished = false;
    bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (!locked && errno == EWOULDBLOCK) return TAKEN;
    if (fstat(fd, &opened) != 0 || stat(path, &named) != 0) return AGAIN;
    if (opened.st_dev != named.st_dev || opened.st_ino != named.st_ino) return AGAIN;
    // An empty file of another user may have been put there as a trap: its owner could cut it under our mapping.
    if (opened.st_size == 0) return created || (locked && opened.st_uid == geteuid()) ? OURS : TAKEN;

    *error = read_older(fd, &finished);
    if (*error != 0) return REFUSED;
    // Without locks a file that says it is being written must be believed.
    if (!locked && !finished) return TAKEN;
    return move_aside(path) == 0 ? AGAIN : TAKEN;
}

// A descriptor of an empty file of that name that is ours; -EBUSY when it is somebody else's.
static int claim(const char *path) {
    int error = 0;
    for (int i = 0; i < CLAIM_TRIES; i++) {
        bool created = true;
        int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0666);
        if (fd < 0 && errno != EEXIST) return -errno;
        if (fd < 0) {
            created = false;
            fd = open_existing(path);
            if (fd == -ENOENT) continue;
            if (fd < 0) return fd;
        }
        enum verdict verdict = judge(path, fd, created, &error);
        if (verdict == OURS) return mt_descriptor_settle(fd);
        close(fd);
        if (verdict == REFUSED) return error;
        if (verdict == TAKEN) return -EBUSY;
    }
    return -EBUSY;
}

static uint64_t realtime_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// File systems on which a store to a mapping may fail, with SIGBUS, however well the file was reserved.
static const uint32_t unsafe_to_map[] = {
    // Copy on write, or a log: every change takes a new block, and the disk may be full.
    0x9123683e, // Btrfs
    0xf2f52010, // F2FS
    0x00003434, // NILFS2
    0x2fc12fc1, // ZFS
    0xca451a4e, // bcachefs
    // A server fetches the page, or grants it: it may be gone, refuse, or have promised more than it has.
    0x00006969, // NFS
    0xff534d42, // CIFS
    0xfe534d42, // SMB 2 and later
    0x00c36400, // Ceph
    0x0bd00bd0, // Lustre
    0x47504653, // GPFS
    0x19830326, // BeeGFS
    0xaad7aaea, // PanFS
    0x5346414f, // AFS
    0x65735546, // FUSE
};

static bool is_safe_to_map(int fd) {
    struct statfs system;
    if (fstatfs(fd, &system) != 0) return false;
    for (size_t i = 0; i < sizeof unsafe_to_map / sizeof unsafe_to_map[0]; i++)
        if ((uint32_t)system.f_type == unsafe_to_map[i]) return false;
    return true;
}

// Buffered, the header stands in the file already; the rest of its page is zero, as of every new file.
static int place_header(struct mt_file *file, bool reserved) {
    if (reserved && is_safe_to_map(file->fd)) file->mapped = mt_view_map(file, 0, file->header_bytes);
    file->storage = file->mapped != NULL ? MT_STORAGE_MAPPED : MT_STORAGE_BUFFERED;
    file->header.storage = file->storage;
    if (file->mapped != NULL) {
        *file->mapped = file->header;
        return 0;
    }
    int error = mt_file_check_limit(file->header_bytes);
    if (error != 0) return error;
    if (!reserved && ftruncate(file->fd, file->header_bytes) != 0) return -errno;
    file->extent = file->header_bytes;
    return 0;
}

// Where nothing can be reserved, be it that the file system doesn't know how, the first write says if there is room.
static int lay_down_header(struct mt_file *file) {
    struct stat status;
    file->header = (struct mt_file_header){
        .magic = MT_MAGIC,
        .version = MT_VERSION,
        .features = 0,
        .header_bytes = file->header_bytes,
        .chunk_bytes = MT_CHUNK_BYTES,
        .pid = (uint32_t)getpid(),
        .state = MT_STATE_WRITING,
        .storage = MT_STORAGE_BUFFERED,
        .start_monotonic_ns = mt_now_ns(),
        .start_realtime_ns = realtime_ns(),
    };
    if (fstat(file->fd, &status) != 0) return -errno;
    file->device = status.st_dev;
    file->inode = status.st_ino;
    bool reserved = mt_file_reserve(file, 0, file->header_bytes) == 0;
    int error = mt_file_write(file, &file->header, sizeof file->header, 0);
    return error == 0 ? place_header(file, reserved) : error;
}

int mt_file_create(struct mt_file *file, const char *path) {
    char absolute[PATH_MAX];
    int error = make_absolute(path, absolute);
    if (error != 0) return error;
    long page = sysconf(_SC_PAGESIZE);
    file->header_bytes = page > (long)MT_HEADER_BYTES ? (uint32_t)page : MT_HEADER_BYTES;
    file->fd = -EBUSY;
    for (int i = 0; i < SIBLING_NAMES && file->fd == -EBUSY; i++) {
        name_candidate(file->path, sizeof file->path, absolute, i);
        file->fd = claim(file->path);
    }
    if (file->fd < 0) return file->fd;
    error = lay_down_header(file);
    if (error != 0) {
        unlink(file->path);
        close(file->fd);
    }
    return error;
}
