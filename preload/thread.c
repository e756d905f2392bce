/*
 * The per-thread state of guard.h: a lane of the trace for each thread that records, given back when the thread ends,
 * so that thousands of short threads share a few chunks.
 */
#include "preload/thread.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/guard.h"
#include "preload/nvtx/feed.h"
#include "preload/session.h"

__thread struct mt_thread mt_thread __attribute__((tls_model("initial-exec"), visibility("hidden")));

static _Atomic(uint32_t) never; // MT_ALIVE_NONE: no session yet
_Atomic(uint32_t) *mt_alive __attribute__((visibility("hidden"))) = &never;

static _Atomic(size_t) attached; // threads that have taken a lane and not given it back, nearly

static pthread_key_t thread_end_key;
static bool thread_end_key_valid; // written before mt_alive is set, constant afterwards

// Runs when a thread ends, on that thread. The thread may come back (another destructor may free device memory): then
// it attaches anew, and the C library calls this again, or no more: then others find the lane without an owner.
static void thread_ends(void *unused) {
    (void)unused;
    if (!mt_records()) return;
    mt_guard_abandon(); // a signal handler may have ended the thread
    struct mt_lane *lane = mt_thread.lane;
    if (!lane) return;
    mt_thread.lane = NULL;
    atomic_fetch_sub(&attached, 1);
    mt_lane_release(lane);
}

int mt_threads_start(void) {
    void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return -errno;
    // Where the kernel has no MADV_WIPEONFORK (before 4.14), mt_threads_forked does it for fork(3) alone.
    madvise(page, (size_t)sysconf(_SC_PAGESIZE), MADV_WIPEONFORK);
    mt_alive = page;
    thread_end_key_valid = pthread_key_create(&thread_end_key, thread_ends) == 0;
    return 0;
}

void mt_threads_record(enum mt_alive alive) {
    atomic_store_explicit(mt_alive, alive, memory_order_release);
}

void mt_thread_left(void) {
    struct mt_lane *lane = mt_thread.lane;
    mt_trace_lose_event(mt_session_trace(), EINTR);
    if (lane && !mt_lane_whole(lane)) mt_thread.lane = NULL;
}

// Looks for streams whose threads are gone when twice as many as are in use have been handed out: the cost is shared
// among those.
static void take_back_now_and_then(struct mt_trace *trace) {
    enum { FEW = 16 };
    static _Atomic(size_t) limit = FEW;
    if (atomic_fetch_add(&attached, 1) < atomic_load(&limit)) return;
    size_t owned = mt_lanes_take_back(trace);
    atomic_store(&attached, owned);
    atomic_store(&limit, FEW + 2 * owned);
}

bool mt_thread_attach(void) {
    struct mt_trace *trace = mt_session_trace();
    if (!trace) return false;
    take_back_now_and_then(trace);
    mt_thread.tid = (uint32_t)syscall(SYS_gettid);
    mt_thread.lane = mt_lane_acquire(trace, mt_thread.tid);
    if (!mt_thread.lane) return false;
    if (thread_end_key_valid) pthread_setspecific(thread_end_key, &mt_thread);
    mt_nvtx_thread_attached();
    return true;
}
