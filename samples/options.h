/* The command line of samples/train.cu. A value that makes no sense is one line on stderr and exit status 1. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MOST_LAYERS = 16 };

enum optimizer { OPTIMIZER_NONE, OPTIMIZER_SGD, OPTIMIZER_MOMENTUM, OPTIMIZER_ADAMW };
enum loss { LOSS_MSE, LOSS_XENT };

struct options {
    int sizes[MOST_LAYERS + 1]; // [layers + 1]: the input's columns, then each layer's outputs
    int layers;
    int batch;      // rows
    int accumulate; // parts that a batch is split into; divides it
    int steps;
    enum optimizer optimizer;
    enum loss loss;
    int allocator; // enum allocator_kind, in the order of its names
    float rate;    // learning rate
    uint64_t seed;
    bool bias, inplace_relu, no_grad, keep_loss, oom, ledger;
};

void options_parse(struct options *options, int argc, char **argv);

#ifdef __cplusplus
}
#endif
