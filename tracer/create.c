/*
 * How a trace's file begins: its name (names.c), its header, and whether the file is mapped or written to. Called by
 * mt_trace_create_as.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>

#include "tracer/clock.h"
#include "tracer/file.h"
#include "tracer/room.h"

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
static int lay_down_header(struct mt_file *file, const struct mt_trace_wish *wish) {
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
        .family = wish->family,
        .level = wish->level,
        .max_bytes = wish->max_bytes == MT_MAX_BY_ROOM ? mt_room_share(file->fd) : wish->max_bytes,
    };
    if (fstat(file->fd, &status) != 0) return -errno;
    file->device = status.st_dev;
    file->inode = status.st_ino;
    bool reserved = mt_file_reserve(file, 0, file->header_bytes) == 0;
    int error = mt_file_write(file, &file->header, sizeof file->header, 0);
    return error == 0 ? place_header(file, reserved) : error;
}

int mt_file_create(struct mt_file *file, const struct mt_trace_wish *wish) {
    int error = mt_make_absolute(wish->path, file->naming.wanted);
    if (error != 0) return error;
    long page = sysconf(_SC_PAGESIZE);
    file->header_bytes = page > (long)MT_HEADER_BYTES ? (uint32_t)page : MT_HEADER_BYTES;
    file->since_ns = wish->since_ns;
    error = mt_file_create_name(file);
    if (error != 0) return error;
    error = lay_down_header(file, wish);
    if (error != 0) {
        unlink(file->path);
        close(file->fd);
        return error;
    }
    if (!wish->late) mt_file_settle(file);
    return 0;
}
