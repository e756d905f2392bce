// A hash table of fixed width with chains through the objects themselves: nothing to allocate, nothing to grow.
#include "tests/simcuda/driver/handles.h"
#include <stddef.h>
#include <stdint.h>

enum { BUCKETS = 4096 };
static struct sim_object *buckets[BUCKETS];

static struct sim_object **bucket_of(const void *handle) {
    return &buckets[((uintptr_t)handle >> 4) * 2654435761u % BUCKETS];
}

void sim_object_add(struct sim_object *object, enum sim_kind kind, struct sim_context *context) {
    struct sim_object **bucket = bucket_of(object);
    object->kind = kind;
    object->context = context;
    object->next = *bucket;
    *bucket = object;
}

void sim_object_remove(struct sim_object *object) {
    for (struct sim_object **at = bucket_of(object); *at; at = &(*at)->next)
        if (*at == object) {
            *at = object->next;
            return;
        }
}

void *sim_object_of(const void *handle, enum sim_kind kind) {
    for (struct sim_object *object = *bucket_of(handle); object; object = object->next)
        if (object == handle) return object->kind == kind ? object : NULL;
    return NULL;
}

void *sim_object_next(const void *handle, enum sim_kind kind) {
    struct sim_object *object = handle ? ((const struct sim_object *)handle)->next : buckets[0];
    for (struct sim_object **bucket = handle ? bucket_of(handle) : buckets;;) {
        for (; object; object = object->next)
            if (object->kind == kind) return object;
        if (++bucket == buckets + BUCKETS) return NULL;
        object = *bucket;
    }
}

void *sim_object_owned(enum sim_kind kind, const struct sim_context *context) {
    struct sim_object *object = NULL;
    while ((object = sim_object_next(object, kind)) && object->context != context) {
    }
    return object;
}
