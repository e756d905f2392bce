/*
 * Runs a program on a system that cannot reserve disk blocks, as many file systems cannot.
 *   poor PROGRAM ARGUMENT...
 * Exits with 77 where such a system cannot be played.
 */
#include <unistd.h>

#include "tests/unit/refuse.h"

int main(int argc, char **argv) {
    if (argc < 2) return 1;
    if (!refuse_fallocate()) return 77;
    execv(argv[1], argv + 1);
    return 1;
}
