// The live objects that the program holds handles of, so that a wrong handle is refused and not followed. Every such
// object starts with a sim_object. Needs the device lock.
#ifndef SIM_HANDLES_H
#define SIM_HANDLES_H

#include <stdbool.h>

struct sim_context;

enum sim_kind {
    SIM_KIND_STREAM = 1,
    SIM_KIND_EVENT,
    SIM_KIND_LIBRARY,
    SIM_KIND_KERNEL,
    SIM_KIND_POOL,
    SIM_KIND_ARRAY,
    SIM_KIND_MIPMAP,
    SIM_KIND_PHYSICAL,
    SIM_KIND_GRAPH,
    SIM_KIND_NODE,
    SIM_KIND_GRAPH_EXEC,
    SIM_KIND_EXTERNAL,
    SIM_KIND_GREEN,
};

struct sim_object {
    enum sim_kind kind;
    struct sim_context *context; // whose end ends it; NULL: nobody's
    struct sim_object *next;     // in the table
};

void sim_object_add(struct sim_object *object, enum sim_kind kind, struct sim_context *context);
void sim_object_remove(struct sim_object *object);
// The handle as an object of that kind, or NULL.
void *sim_object_of(const void *handle, enum sim_kind kind);
// Some object of that kind that belongs to the context, or NULL.
void *sim_object_owned(enum sim_kind kind, const struct sim_context *context);
// Every object of a kind, one after the other: the first after NULL, NULL after the last.
void *sim_object_next(const void *object, enum sim_kind kind);

#endif
