#ifndef SIM_VIRTUAL_H
#define SIM_VIRTUAL_H
#include <stdint.h>
struct sim_range *sim_virtual_find(uint64_t address);
#endif
