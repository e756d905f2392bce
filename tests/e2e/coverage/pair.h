/*
 * Two processes that share memory: a child forked before the driver is initialised (a forked child of an initialised
 * process cannot use CUDA), joined to its parent by a socket that carries handles, pointers and file descriptors, and
 * keeps the two in step. Used by the rows about exported and imported memory.
 */
#ifndef MEMTRACE_E2E_PAIR_H
#define MEMTRACE_E2E_PAIR_H

#include <stddef.h>

// Forks; in the child calls `child` with the child's end of the socket and ends with what it returns. Returns the
// parent's end. Call before cuInit.
int pair_fork(int (*child)(int socket));

// Waits for the child; 0 if it ended well.
int pair_join(int socket);

void pair_send(int socket, const void *data, size_t bytes);
void pair_receive(int socket, void *data, size_t bytes);
void pair_send_fd(int socket, int fd);
int pair_receive_fd(int socket);

// One byte each way: "I have come this far".
void pair_signal(int socket);
void pair_wait(int socket);

#endif
