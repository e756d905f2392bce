/*
 * Looks up what driver.h lists. Called by the session's start.
 */
#include "preload/driver.h"

#include <dlfcn.h>

#include "preload/real_dlsym.h"

struct mt_driver mt_driver;

void mt_driver_start(void) {
    // RTLD_NOLOAD matches the soname, whatever name the program loaded it by. The handle is kept: libcuda stays.
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return;
#define X(name, symbol, parameters) *(void **)&mt_driver.name = mt_real_dlsym(library, symbol);
    MT_DRIVER_FUNCTIONS(X)
#undef X
    mt_driver.anchor = *(void *const *)&mt_driver.driver_get_version;
}
