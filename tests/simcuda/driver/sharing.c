// Tickets, and the addresses of imported memory.
#include "tests/simcuda/driver/sharing.h"
#include "tests/simcuda/driver/device.h"
#include "tests/simcuda/driver/layout.h"
#include "tests/simcuda/driver/memory.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct sim_space imported;

struct sim_ticket sim_ticket_new(enum sim_ticket_kind kind, int device, uint64_t id, uint64_t address, uint64_t bytes) {
    return (struct sim_ticket){.magic = "simcuda",
                               .process = getpid(),
                               .kind = (int32_t)kind,
                               .device = device < 0 ? -1 : sim_device(device)->index,
                               .id = id,
                               .address = address,
                               .bytes = bytes};
}

bool sim_ticket_is(const struct sim_ticket *ticket, enum sim_ticket_kind kind) {
    return !memcmp(ticket->magic, "simcuda", sizeof(ticket->magic)) && ticket->kind == (int32_t)kind;
}

int sim_ticket_to_fd(const struct sim_ticket *ticket) {
    int fd = memfd_create("simcuda", MFD_CLOEXEC);
    if (fd >= 0 && pwrite(fd, ticket, sizeof(*ticket), 0) != (ssize_t)sizeof(*ticket)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

bool sim_ticket_from_fd(int fd, struct sim_ticket *ticket) {
    return pread(fd, ticket, sizeof(*ticket), 0) == (ssize_t)sizeof(*ticket);
}

struct sim_device *sim_ticket_device(const struct sim_ticket *ticket) {
    for (int i = 0; i < sim_device_count(); i++)
        if (sim_device(i)->index == ticket->device) return sim_device(i);
    return sim_device(0);
}

CUresult sim_imported_take(uint64_t bytes, int device, struct sim_range **result) {
    struct sim_range *range;
    if (sim_layout_take(SIM_REGION_IMPORTED, &imported, bytes, &range)) return CUDA_ERROR_OUT_OF_MEMORY;
    sim_range_describe(range, SIM_IMPORTED, bytes, device, sim_context_current());
    range->resident = 0;
    *result = range;
    return CUDA_SUCCESS;
}

void sim_imported_give(struct sim_range *range) {
    sim_range_forget_contents(range);
    sim_space_give(&imported, range);
}

struct sim_range *sim_imported_find(uint64_t address) {
    return sim_space_find(&imported, address);
}
