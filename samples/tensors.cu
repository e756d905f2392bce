/* Allocates and frees float32 tensors of the shapes on its command line, and says what that comes to: experiment E4.
 * The arguments are taken from left to right; --free and --then end a group, and the sums of each group are printed.
 */
#include "samples/tensor.h"

#include <errno.h>
#include <string.h>
#include <vector>

static const char help[] = "Usage: tensors [--vgg19] [SHAPE...] [--free SHAPE...] [--then SHAPE...]...\n"
                           "Allocates float32 tensors in the order given, and prints a ledger of them.\n\n"
                           "  SHAPE    1 to 4 sizes, as 30,3,512,512 or 30x3x512x512\n"
                           "  --vgg19  the weights and biases of VGG-19: 143667240 parameters\n"
                           "  --free   the shapes that follow are freed, each the oldest of its shape\n"
                           "  --then   the shapes that follow are allocated again, as a new group\n\n"
                           "After each group: ledger = groupN allocated BYTES reserved BYTES peak BYTES;\n"
                           "for each tensor a line as samples/ledger.h describes. What is left is freed at the end.\n";

struct tensor {
    struct tensor_shape shape;
    float *data; // [shape]
};

static std::vector<tensor> tensors; // alive, oldest first

static void refuse(const char *text, const char *why) {
    fprintf(stderr, "tensors: '%s' %s\n", text, why);
    exit(EXIT_FAILURE);
}

static struct tensor_shape shape_parse(const char *text) {
    struct tensor_shape shape = {};
    const char *at = text;
    for (int rank = 0;; rank++) {
        char *end;
        errno = 0;
        const long extent = strtol(at, &end, 10);
        if (*at < '0' || *at > '9' || errno || extent < 1 || extent > 1000000000 || rank == 4)
            refuse(text, "is not a shape of 1 to 4 sizes, such as 30,3,512,512");
        shape.extent[rank] = (int)extent;
        if (!*end) break;
        if (*end != ',' && *end != 'x') refuse(text, "is not a shape of 1 to 4 sizes, such as 30,3,512,512");
        at = end + 1;
    }
    double bytes = 4;
    for (int extent : shape.extent) bytes *= extent ? extent : 1;
    if (bytes > 1e18) refuse(text, "is larger than any device");
    return shape;
}

static void tensor_create(const char *name, struct tensor_shape shape) {
    struct tensor tensor = {shape, NULL};
    TENSOR_ALLOC(tensor.data, "tensor", name, shape);
    tensors.push_back(tensor);
}

static void tensor_free(const char *text, struct tensor_shape shape) {
    for (size_t i = 0; i < tensors.size(); i++) {
        if (memcmp(&tensors[i].shape, &shape, sizeof shape)) continue;
        TENSOR_FREE(tensors[i].data);
        tensors.erase(tensors.begin() + i);
        return;
    }
    refuse(text, "is not allocated");
}

/* 16 convolutions of 3 by 3, then three linear layers; each weight is followed by its bias. */
static void vgg19_create(void) {
    static const int channels[] = {3, 64, 64, 128, 128, 256, 256, 256, 256, 512, 512, 512, 512, 512, 512, 512, 512};
    static const int features[] = {512 * 7 * 7, 4096, 4096, 1000};
    for (int i = 0; i < 16; i++) {
        tensor_create("conv.weight", {{channels[i + 1], channels[i], 3, 3}});
        tensor_create("conv.bias", {{channels[i + 1]}});
    }
    for (int i = 0; i < 3; i++) {
        tensor_create("linear.weight", {{features[i + 1], features[i]}});
        tensor_create("linear.bias", {{features[i + 1]}});
    }
}

static void group_begin(bool freeing) {
    nvtxRangePushA(freeing ? "free" : "allocate");
}

static void group_end(void) {
    static int group;
    char name[32];
    nvtxRangePop();
    snprintf(name, sizeof name, "group%d", ++group);
    allocator_phase(name);
}

int main(int argc, char **argv) {
    bool freeing = false;
    ledger_enable(true);
    if (argc < 2) {
        fputs("tensors: no shapes given; --help tells how\n", stderr);
        return EXIT_FAILURE;
    }
    if (!strcmp(argv[1], "--help")) {
        fputs(help, stdout);
        return EXIT_SUCCESS;
    }
    allocator_create(ALLOCATOR_MALLOC, NULL);

    group_begin(freeing);
    for (int i = 1; i < argc; i++) {
        const char *text = argv[i];
        if (!strcmp(text, "--vgg19")) {
            vgg19_create();
        } else if (!strcmp(text, "--free") || !strcmp(text, "--then")) {
            group_end();
            freeing = !strcmp(text, "--free");
            group_begin(freeing);
        } else if (*text == '-') {
            refuse(text, "is not an option; --help lists them");
        } else if (freeing) {
            tensor_free(text, shape_parse(text));
        } else {
            tensor_create(text, shape_parse(text));
        }
    }
    group_end();

    for (struct tensor &tensor : tensors) TENSOR_FREE(tensor.data);
    allocator_phase("freed");
    allocator_destroy();
    return EXIT_SUCCESS;
}
