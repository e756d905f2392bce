// Memory of graphs' allocation nodes. A block has its addresses from when its node is made; device memory backs an
// executable graph from its upload or first launch to its end, and is kept for the next one until trimmed.
// Needs the device lock.
#ifndef SIM_GRAPH_MEMORY_H
#define SIM_GRAPH_MEMORY_H

#include "tests/simcuda/driver/driver.h"

struct sim_device;
struct sim_range;

// Of a device. Bytes.
struct sim_graph_memory {
    uint64_t reserved;                 // device memory, idle or not
    uint64_t reserved_high, used_high; // the most of it since each mark was reset
    uint64_t committed;                // of it, what executable graphs and live blocks hold
};

struct sim_graph_block {
    struct sim_range *range;
    struct sim_device *device;
    uint64_t bytes;
    unsigned references; // nodes and executable graphs
    bool live;           // allocated by a launch, and not freed since
    bool orphan;         // live, and its executable graph is gone: holds device memory on its own
};

CUresult sim_graph_block_new(struct sim_device *device, uint64_t bytes, struct sim_graph_block **result);
void sim_graph_block_drop(struct sim_graph_block *block); // one reference less
void sim_graph_block_allocate(struct sim_graph_block *block);
CUresult sim_graph_block_free(struct sim_graph_block *block);
// The block goes on living without the executable graph that allocated it.
CUresult sim_graph_block_orphan(struct sim_graph_block *block);

// Holds that much device memory for an executable graph, out of what is idle or by taking more; gives it back to idle.
CUresult sim_graph_memory_commit(struct sim_device *device, uint64_t bytes);
void sim_graph_memory_uncommit(struct sim_device *device, uint64_t bytes);
// The end of everything on the device.
void sim_graph_memory_end(struct sim_device *device);

#endif
