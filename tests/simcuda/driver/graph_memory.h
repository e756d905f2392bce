#ifndef SIM_GRAPH_MEMORY_H
#define SIM_GRAPH_MEMORY_H
struct sim_device;
void sim_graph_memory_end(struct sim_device *device);
#endif
