// Compares the call stacks of a trace's allocations with what the program wrote of its callers.
//   check TRACE TRUTH
#include <stdio.h>
#include <stdlib.h>

#include "tracer/reader.h"

enum { FRAMES = 256 };

struct frame {
    uint32_t parent;
    uint64_t address;
};

static struct frame *frames; // by id
static size_t room;
static FILE *truth;
static unsigned long checked, wrong;

static int keep_frame(void *unused, const struct mt_definition *definition) {
    (void)unused;
    if (definition->type != MT_RECORD_NATIVE_FRAME) return 0;
    if (definition->id >= room) {
        room = 2 * (size_t)definition->id;
        frames = realloc(frames, room * sizeof *frames);
        if (!frames) exit(2);
    }
    frames[definition->id] = (struct frame){definition->parent, definition->address};
    return 0;
}

// The innermost frame is the function's that allocates; what is outside of the noted callers is the C library's.
static int check(void *unused, const struct mt_record_event *event) {
    uint64_t count, callers[FRAMES];
    uint32_t frame = event->stack;
    (void)unused;
    if (event->effect != MT_EFFECT_ALLOCATED) return 0;
    if (fread(&count, sizeof count, 1, truth) != 1 || count > FRAMES ||
        fread(callers, sizeof callers[0], count, truth) != count)
        return 1;
    checked++;
    for (uint64_t i = 0; i < count; i++) {
        frame = frame ? frames[frame].parent : 0;
        if (frame && frames[frame].address == callers[i]) continue;
        if (wrong++ < 5) {
            printf("allocation %lu, caller %lu: %#lx, in truth %#lx\n", checked, (unsigned long)i,
                   frame ? (unsigned long)frames[frame].address : 0, (unsigned long)callers[i]);
        }
        break;
    }
    return 0;
}

int main(int count, char **values) {
    struct mt_reader *reader;
    uint32_t version;
    if (count != 3 || mt_reader_open(values[1], &reader, &version) != MT_OPEN_OK || !(truth = fopen(values[2], "rb")))
        return 2;
    mt_reader_definitions(reader, keep_frame, NULL);
    int torn = mt_reader_events(reader, check, NULL);
    bool whole = !torn && fgetc(truth) == EOF;
    printf("checked %lu wrong %lu%s\n", checked, wrong, whole ? "" : ", and trace and truth differ in length");
    return wrong != 0 || !whole;
}
