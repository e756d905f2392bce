/*
 * A plug-in that takes from the program's pool while it is loaded, as one does that registers its kernels.
 */
void use_pool(void);

__attribute__((constructor)) static void begin(void) {
    use_pool();
    __asm__ volatile(""); // no jump instead of the call
}
