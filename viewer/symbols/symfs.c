/*
 * Finding and opening files that a trace names; see symfs.h.
 */
#include "viewer/symbols/symfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/facts.h"
#include "viewer/base/memory.h"
#include "viewer/symbols/symbols.h"

#define PLACES 3

bool mt_made_here(const struct mt_definitions *definitions) {
    const char *host = mt_definitions_fact(definitions, MT_FACT_HOST);
    const char *user = mt_definitions_fact(definitions, MT_FACT_USER);
    char name[256] = "", number[32];
    if (!host || !user || gethostname(name, sizeof(name) - 1) != 0) return false;
    snprintf(number, sizeof(number), "%ld", (long)geteuid());
    return strcmp(host, name) == 0 && strcmp(user, number) == 0;
}

int mt_open_regular(const char *path) {
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); // a FIFO would wait for a writer
    if (file < 0 || (fstat(file, &status) == 0 && S_ISREG(status.st_mode))) return file;
    close(file);
    return -1;
}

int mt_open_below(const char *folder, const char *path) {
    char *full = mt_format_text("%s/%s", folder, path);
    char *root = realpath(folder, NULL), *found = realpath(full, NULL);
    size_t length = root ? strlen(root) : 0;
    if (length == 1) length = 0; // of "/", so that a slash follows
    bool below = root && found && strncmp(found, root, length) == 0 && found[length] == '/';
    int file = below ? mt_open_regular(found) : -1;
    free(full);
    free(root);
    free(found);
    return file;
}

static char *why_missing(const char *folder, bool here, const struct mt_module *module) {
    if (!here)
        return mt_format_text("%s is not %s%s: its functions are shown as offsets", module->path,
                              folder ? "in " : "opened, as the trace was made by another user or on another machine",
                              folder ? folder : "");
    return mt_format_text("%s is not %s%s%son this machine: its functions are shown as offsets", module->path,
                          folder ? "in " : "", folder ? folder : "", folder ? " nor " : "");
}

struct mt_debuginfo *mt_symfs_open(const char *folder, bool here, const struct mt_module *module, char **note) {
    const char *names[PLACES] = {folder ? module->path : NULL, folder ? mt_base_name(module->path) : NULL,
                                 here ? module->path : NULL};
    struct mt_debuginfo *found = NULL;
    char *wrong = NULL; // a file of that name, but of another build
    for (size_t i = 0; i < PLACES && !found; i++) {
        if (!names[i]) continue;
        bool below = i < PLACES - 1;
        int file = below ? mt_open_below(folder, names[i]) : mt_open_regular(names[i]);
        if (file < 0) continue;
        char *path = below ? mt_format_text("%s%s%s", folder, *names[i] == '/' ? "" : "/", names[i])
                           : mt_format_text("%s", names[i]);
        enum mt_debuginfo_status status =
            mt_debuginfo_open(path, file, module->build_id, module->build_id_bytes, &found);
        if (status == MT_DEBUGINFO_REPLACED && !wrong)
            wrong = path;
        else
            free(path);
    }
    *note = NULL;
    if (!found && wrong)
        *note = mt_format_text("%s is not the file that was traced, but another build: its functions are shown as "
                               "offsets",
                               wrong);
    else if (!found)
        *note = why_missing(folder, here, module);
    free(wrong);
    return found;
}
