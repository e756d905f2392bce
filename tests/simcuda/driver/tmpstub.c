#include "tests/simcuda/driver/capture.h"
#include "tests/simcuda/driver/graph_memory.h"
#include "tests/simcuda/driver/sharing.h"
#include "tests/simcuda/driver/virtual.h"
bool sim_capturing(CUstream s) {
    (void)s;
    return 0;
}
CUresult sim_capture_work(CUstream s, const struct sim_work *w) {
    (void)s;
    (void)w;
    return 0;
}
CUresult sim_capture_allocation(CUstream s, struct sim_device *d, uint64_t b, CUdeviceptr *a) {
    (void)s;
    (void)d;
    (void)b;
    (void)a;
    return 0;
}
CUresult sim_capture_free(CUstream s, CUdeviceptr a) {
    (void)s;
    (void)a;
    return 0;
}
CUresult sim_capture_record(CUstream s, struct sim_event *e, bool x) {
    (void)s;
    (void)e;
    (void)x;
    return 0;
}
CUresult sim_capture_wait(CUstream s, struct sim_event *e, bool x) {
    (void)s;
    (void)e;
    (void)x;
    return 0;
}
CUresult sim_capture_invalidate(struct sim_stream *s) {
    (void)s;
    return 0;
}
void sim_capture_abandon(struct sim_stream *s) {
    (void)s;
}
CUresult sim_capture_forbids_unsafe(void) {
    return 0;
}
CUresult sim_capture_forbids_synchronizing(void) {
    return 0;
}
CUresult sim_capture_forbids_default_stream(CUstream s) {
    (void)s;
    return 0;
}
CUresult sim_graph_memory_free(struct sim_range *r) {
    (void)r;
    return 0;
}
void sim_graph_memory_end(struct sim_device *d) {
    (void)d;
}
struct sim_range *sim_imported_find(uint64_t a) {
    (void)a;
    return 0;
}
struct sim_range *sim_virtual_find(uint64_t a) {
    (void)a;
    return 0;
}
