/*
 * A plug-in that takes from the program's pool while it is loaded, as one does that registers its kernels.
 */
void pool_used_by_initialiser(void);

__attribute__((constructor)) static void begin(void) {
    pool_used_by_initialiser();
    __asm__ volatile(""); // no jump instead of the call
}
