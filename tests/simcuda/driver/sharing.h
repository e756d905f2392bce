// Memory of other processes and APIs. What is exported describes itself (in a file descriptor or a handle's bytes);
// what is imported has addresses of its own and takes no device memory, since the exporter's count has it. Contents
// aren't shared. Needs the device lock.
#ifndef SIM_SHARING_H
#define SIM_SHARING_H

#include "tests/simcuda/driver/driver.h"
#include "tests/simcuda/driver/space.h"

enum sim_ticket_kind {
    SIM_TICKET_LINEAR = 1,
    SIM_TICKET_PHYSICAL,
    SIM_TICKET_POOL,
    SIM_TICKET_POOLED,
    SIM_TICKET_EVENT
};

// What an exported thing says of itself; fits in a CUipcMemHandle.
struct sim_ticket {
    char magic[8]; // "simcuda"
    int32_t process;
    int32_t kind;
    int32_t device; // index in the machine
    int32_t reserved;
    uint64_t id; // of the thing in its process
    uint64_t address;
    uint64_t bytes;
};
_Static_assert(sizeof(struct sim_ticket) <= CU_IPC_HANDLE_SIZE, "a ticket fits in a handle");

struct sim_ticket sim_ticket_new(enum sim_ticket_kind kind, int device, uint64_t id, uint64_t address, uint64_t bytes);
bool sim_ticket_is(const struct sim_ticket *ticket, enum sim_ticket_kind kind);
// A file descriptor that carries the ticket, and the reading of one. Not with the lock. -1, false: they failed.
int sim_ticket_to_fd(const struct sim_ticket *ticket);
bool sim_ticket_from_fd(int fd, struct sim_ticket *ticket);
// The visible device that the ticket's is; the first one if it isn't visible here.
struct sim_device *sim_ticket_device(const struct sim_ticket *ticket);

// Addresses for imported memory.
CUresult sim_imported_take(uint64_t bytes, int device, struct sim_range **result);
void sim_imported_give(struct sim_range *range);
struct sim_range *sim_imported_find(uint64_t address);

#endif
