/*
 * Finding a module's file; see symfs.h.
 */
#include "viewer/symfs.h"

#include <stdlib.h>

#include "viewer/memory.h"
#include "viewer/symbols.h"

#define PLACES 3

struct mt_debuginfo *mt_symfs_open(const char *folder, const struct mt_module *module, char **note) {
    char *paths[PLACES] = {NULL}, *wrong = NULL; // a file of that name, but of another build
    struct mt_debuginfo *found = NULL;
    if (folder) {
        paths[0] = mt_format_text("%s%s", folder, module->path);
        paths[1] = mt_format_text("%s/%s", folder, mt_base_name(module->path));
    }
    paths[2] = mt_format_text("%s", module->path);
    for (size_t i = folder ? 0 : 2; i < PLACES && !found; i++) {
        enum mt_debuginfo_status status = mt_debuginfo_open(paths[i], module->build_id, module->build_id_bytes, &found);
        if (status == MT_DEBUGINFO_REPLACED && !wrong) wrong = paths[i];
    }
    *note = NULL;
    if (!found && wrong)
        *note = mt_format_text("%s is not the file that was traced, but another build: its functions are shown as "
                               "offsets",
                               wrong);
    else if (!found)
        *note = mt_format_text("%s is not %s%s%son this machine: its functions are shown as offsets", module->path,
                               folder ? "in " : "", folder ? folder : "", folder ? " nor " : "");
    for (size_t i = 0; i < PLACES; i++) free(paths[i]);
    return found;
}
