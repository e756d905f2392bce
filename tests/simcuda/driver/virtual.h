// Virtual memory management: physical memory with counted references, reserved addresses, and mappings between the two.
// Memory at mapped addresses is the process's own and always accessible; two mappings of one piece don't share
// contents. Needs the device lock.
#ifndef SIM_VIRTUAL_H
#define SIM_VIRTUAL_H

#include "tests/simcuda/driver/driver.h"
#include "tests/simcuda/driver/handles.h"
#include "tests/simcuda/driver/space.h"

struct sim_physical;

// Memory bound to a multicast object.
struct sim_binding {
    struct sim_binding *next;
    struct sim_physical *memory; // NULL: bound by address
    uint64_t offset, bytes;
    CUdevice device;
};

// Physical memory, or a multicast object, which has no memory of its own.
struct sim_physical {
    struct sim_object object;
    CUmemAllocationProp properties;
    uint64_t bytes;
    uint64_t id;         // unique in the process
    unsigned references; // handles that the program holds
    unsigned uses;       // mappings, bindings and exports
    int device;          // whose memory it takes; -1: none's (host memory, imported, multicast)
    bool multicast;
    struct sim_binding *bindings;
};

// The object of a handle that the program still holds, or NULL.
struct sim_physical *sim_physical_of(CUmemGenericAllocationHandle handle);
// The object with that id, held or not, or NULL.
struct sim_physical *sim_physical_by_id(uint64_t id);
// One reference, held by the caller. NULL: no memory of the process.
struct sim_physical *sim_physical_new(const CUmemAllocationProp *properties, uint64_t bytes, int device);
// Ends the object if nothing refers to it any more.
void sim_physical_settle(struct sim_physical *physical);
// The mapping that holds the address, or NULL. Its owner is the sim_physical.
struct sim_range *sim_virtual_find(uint64_t address);

#endif
