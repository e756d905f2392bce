/*
 * A parent and a child on one socket. See pair.h. A broken socket ends the process: its peer died, and the row with it.
 */
#include "tests/e2e/coverage/pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child_pid;

static void must(int ok, const char *what) {
    if (ok) return;
    perror(what);
    exit(1);
}

int pair_fork(int (*child)(int socket)) {
    int ends[2];

    must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "socketpair");
    child_pid = fork();
    must(child_pid >= 0, "fork");
    if (child_pid == 0) {
        close(ends[0]);
        exit(child(ends[1]));
    }
    close(ends[1]);
    return ends[0];
}

int pair_join(int socket) {
    int status;

    close(socket);
    must(waitpid(child_pid, &status, 0) == child_pid, "waitpid");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

void pair_send(int socket, const void *data, size_t bytes) {
    must(send(socket, data, bytes, MSG_NOSIGNAL) == (ssize_t)bytes, "send");
}

void pair_receive(int socket, void *data, size_t bytes) {
    must(recv(socket, data, bytes, MSG_WAITALL) == (ssize_t)bytes, "recv");
}

// The control data of one descriptor, aligned as sendmsg wants it.
union control {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
};

void pair_send_fd(int socket, int fd) {
    char byte = 0;
    union control control = {.space = {0}};
    struct iovec data = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.space};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(header), &fd, sizeof fd);
    must(sendmsg(socket, &message, MSG_NOSIGNAL) == 1, "sendmsg");
}

int pair_receive_fd(int socket) {
    int fd = -1;
    char byte;
    union control control;
    struct iovec data = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.space};

    must(recvmsg(socket, &message, 0) == 1 && CMSG_FIRSTHDR(&message), "recvmsg");
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
    return fd;
}

void pair_signal(int socket) {
    pair_send(socket, "", 1);
}

void pair_wait(int socket) {
    char byte;

    pair_receive(socket, &byte, 1);
}
