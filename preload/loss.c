/*
 * The line of loss.h.
 */
#include "preload/loss.h"

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
    else
        mt_message_once("%.400s: %s: events are being lost, and the report counts them", path, reason(loss->error));
}
