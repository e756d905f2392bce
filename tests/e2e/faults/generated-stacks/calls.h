// What the generated functions are made of: each notes where it returns to, then calls on.
#include <stdint.h>

enum { CALLERS_MAX = 64 };

struct calls {
    uint64_t number;
    uintptr_t callers[CALLERS_MAX]; // the outermost first
    unsigned depth;
    unsigned allocations; // that it may still make
};

typedef void function(struct calls *calls, int depth);
extern function *const functions[];
extern const unsigned function_count;

void allocate(struct calls *calls);
void fill(char *at);
void many(struct calls *calls, int depth, ...);

static inline unsigned draw(struct calls *calls, unsigned below) {
    calls->number = calls->number * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(calls->number >> 33) % below;
}

// A number that the compiler can't know, and so keeps over a call.
static inline long hidden(long number) {
    __asm__ volatile("" : "+r"(number));
    return number;
}
#define HIDDEN(number) hidden(number)
#define USE(value)     __asm__ volatile("" ::"r"((long)(value)) : "memory")
#define BARRIER        __asm__ volatile("" ::: "memory")
#define ENTER(calls)   ((calls)->callers[(calls)->depth++] = (uintptr_t)__builtin_return_address(0))
#define LEAVE(calls)   ((calls)->depth--)

// The last thing that a function does may be this call: then it has left its frame before.
static inline __attribute__((always_inline)) void go_on(struct calls *calls, int depth) {
    if (depth <= 0 || calls->allocations == 0) {
        allocate(calls);
    } else {
        functions[draw(calls, function_count)](calls, depth - 1);
    }
}
