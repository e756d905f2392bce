#ifndef SIM_SHARING_H
#define SIM_SHARING_H
#include <stdint.h>
struct sim_range *sim_imported_find(uint64_t address);
#endif
