/*
 * The lines of tell.h.
 */
#include "preload/tell.h"

#include <errno.h>

#include "preload/message.h"

// Not strerror, which may take a lock of the program's to translate.
static const char *reason(int error) {
    switch (error) {
    case ENOSPC:
        return "No space left on device";
    case EDQUOT:
        return "Disk quota exceeded";
    case EFBIG:
        return "File too large, by the limit on file sizes (ulimit -f)";
    case ENOMEM:
        return "Cannot allocate memory";
    case EIO:
        return "Input/output error";
    case EINTR:
        return "signal handlers came in, or jumped out";
    case EROFS:
        return "Read-only file system";
    default:
        return "storing failed";
    }
}

void mt_loss_say(const struct mt_trace *trace, const struct mt_loss *loss) {
    const char *path = mt_trace_path(trace);
    if (loss->stopped == MT_STOPPED_CUT)
        mt_message_once("%.400s was cut or overwritten by another program: recording has stopped", path);
    else if (loss->stopped == MT_STOPPED_LIMIT)
        mt_message_once("%.400s has reached its limit of %llu bytes (MEMTRACE_MAX_SIZE): recording has stopped", path,
                        (unsigned long long)loss->max_bytes);
    else if (loss->error == ENOENT)
        mt_message_once("%.400s was removed by another program: what was recorded is gone", path);
    else
        mt_message_once("%.400s: %s: events are being lost, and the report counts them", path, reason(loss->error));
}

void mt_name_say(const struct mt_trace *trace, const struct mt_naming *naming) {
    if (naming->pushed_down)
        mt_message_once("%.300s is now the trace of this process, and %.300s that of process %u", naming->wanted,
                        naming->other_path, naming->holder_pid);
    if (naming->replaced_old)
        mt_message_once("%.400s.old, an earlier trace of this command, has been replaced by a later one",
                        naming->wanted);
    if (naming->is_wanted) return;
    if (naming->holder_pid)
        mt_message_once("the trace of this process is %.300s, since %.300s is that of process %u", mt_trace_path(trace),
                        naming->wanted, naming->holder_pid);
    else
        mt_message_once("the trace of this process is %.300s, since %.300s can't be replaced", mt_trace_path(trace),
                        naming->wanted);
}
