/* The command line of samples/train.cu, by argp; the meaning of each option stands in its help text below. */
#include "samples/options.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1000000 }; // of rows, columns, steps

enum key { KEEP_LOSS = 256, NO_GRAD, INPLACE_RELU, OOM, BIAS, LEDGER, LOSS };

static const struct argp_option option_list[] = {
    {"layers", 'l', "SIZE,SIZE,...", 0, "Columns of the input, then the outputs of each layer (1024,1024,1)", 0},
    {"bias", BIAS, NULL, 0, "Give each layer a bias", 0},
    {"inplace-relu", INPLACE_RELU, NULL, 0, "Write each ReLU over its input", 0},
    {"batch", 'b', "N", 0, "Rows in a batch (64)", 0},
    {"accumulate", 'a', "N", 0, "Split each batch into N parts and add up their gradients (1)", 0},
    {"steps", 's', "N", 0, "Training steps (10)", 0},
    {"optimizer", 'o', "NAME", 0, "sgd, momentum, adamw; none goes forward only, with gradients left on (adamw)", 0},
    {"lr", 'r', "RATE", 0, "Learning rate (0.001; adamw 0.0001)", 0},
    {"loss", LOSS, "NAME", 0, "mse: mean square; xent: softmax and cross-entropy (mse)", 0},
    {"seed", 'S', "N", 0, "Seed of the parameters and the data (1)", 0},
    {"no-grad", NO_GRAD, NULL, 0, "Go forward only, and keep nothing for a backward", 0},
    {"keep-loss", KEEP_LOSS, NULL, 0, "Add up losses by keeping each, and with it all that its forward made", 0},
    {"oom", OOM, NULL, 0, "After the first step ask for 256 GiB; refused, go on with half the batch", 0},
    {"allocator", 'A', "NAME", 0, "malloc, async, pool (our own), caching (as PyTorch's) (malloc)", 0},
    {"ledger", LEDGER, NULL, 0, "Print every allocation and free, and the sums after each phase", 0},
    {0},
};

static const char doc[] =
    "Trains a multilayer perceptron on seeded synthetic data, and shows where its device memory goes."
    "\vThe ledger's lines, one an event:\n\n"
    "  ledger + BYTES WHY NAME SHAPE FUNCTION FILE:LINE allocated TOTAL\n"
    "  ledger - BYTES WHY NAME SHAPE FUNCTION FILE:LINE allocated TOTAL\n"
    "  ledger ! BYTES WHY NAME SHAPE FUNCTION FILE:LINE allocated TOTAL\n"
    "  ledger > BYTES segment FUNCTION FILE:LINE reserved TOTAL\n"
    "  ledger < BYTES segment FUNCTION FILE:LINE reserved TOTAL\n"
    "  ledger = PHASE allocated BYTES reserved BYTES peak BYTES\n\n"
    "+ allocated, - freed, ! refused; > and < are the caching allocator's own takings; = ends a phase.";

static void refuse(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
static void refuse(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(EXIT_FAILURE);
}

/* A whole number from 1 to MOST; `end` is where it ends. */
static int parse_count(const char *option, const char *text, char **end) {
    errno = 0;
    const long value = strtol(text, end, 10);
    if (*end == text || errno || value < 1 || value > MOST || strchr(" +-\t", *text))
        refuse("--%s: '%s' is not a whole number from 1 to %d", option, text, MOST);
    return (int)value;
}

static int parse_number(const char *option, const char *text) {
    char *end;
    const int value = parse_count(option, text, &end);
    if (*end) refuse("--%s: '%s' is not a whole number from 1 to %d", option, text, MOST);
    return value;
}

static void parse_layers(struct options *options, const char *text) {
    int count = 0;
    for (const char *at = text;; at++) {
        char *end;
        if (count > MOST_LAYERS) refuse("--layers: '%s' has more than %d layers", text, MOST_LAYERS);
        options->sizes[count++] = parse_count("layers", at, &end);
        if (!*end) break;
        if (*end != ',') refuse("--layers: '%s' is not a list of whole numbers", text);
        at = end;
    }
    if (count < 2) refuse("--layers: '%s' has an input and no layer", text);
    options->layers = count - 1;
}

/* The position of `text` in a list of names that ends with NULL. */
static int parse_name(const char *option, const char *text, const char *const *names, const char *list) {
    for (int i = 0; names[i]; i++)
        if (!strcmp(text, names[i])) return i;
    refuse("--%s: '%s' is none of %s", option, text, list);
}

static float parse_rate(const char *text) {
    char *end;
    const float rate = strtof(text, &end);
    if (end == text || *end || !isfinite(rate) || rate <= 0) refuse("--lr: '%s' is not a number above 0", text);
    return rate;
}

static uint64_t parse_seed(const char *text) {
    char *end;
    errno = 0;
    const uint64_t seed = strtoull(text, &end, 10);
    if (end == text || *end || errno || *text < '0' || *text > '9') refuse("--seed: '%s' is not a whole number", text);
    return seed;
}

static error_t parse_option(int key, char *text, struct argp_state *state) {
    static const char *const optimizers[] = {"none", "sgd", "momentum", "adamw", NULL};
    static const char *const losses[] = {"mse", "xent", NULL};
    static const char *const allocators[] = {"malloc", "async", "pool", "caching", NULL};
    struct options *options = state->input;

    switch (key) {
    case 'l':
        parse_layers(options, text);
        break;
    case 'b':
        options->batch = parse_number("batch", text);
        break;
    case 'a':
        options->accumulate = parse_number("accumulate", text);
        break;
    case 's':
        options->steps = parse_number("steps", text);
        break;
    case 'o':
        options->optimizer = parse_name("optimizer", text, optimizers, "sgd, momentum, adamw, none");
        break;
    case 'r':
        options->rate = parse_rate(text);
        break;
    case 'S':
        options->seed = parse_seed(text);
        break;
    case 'A':
        options->allocator = parse_name("allocator", text, allocators, "malloc, async, pool, caching");
        break;
    case LOSS:
        options->loss = parse_name("loss", text, losses, "mse, xent");
        break;
    case BIAS:
        options->bias = true;
        break;
    case INPLACE_RELU:
        options->inplace_relu = true;
        break;
    case NO_GRAD:
        options->no_grad = true;
        break;
    case KEEP_LOSS:
        options->keep_loss = true;
        break;
    case OOM:
        options->oom = true;
        break;
    case LEDGER:
        options->ledger = true;
        break;
    case ARGP_KEY_ARG:
        refuse("'%s' is not an option", text);
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

void options_parse(struct options *options, int argc, char **argv) {
    static const struct argp parser = {option_list, parse_option, NULL, doc, NULL, NULL, NULL};

    *options = (struct options){
        .sizes = {1024, 1024, 1},
        .layers = 2,
        .batch = 64,
        .accumulate = 1,
        .steps = 10,
        .optimizer = OPTIMIZER_ADAMW,
        .seed = 1,
    };
    argp_err_exit_status = EXIT_FAILURE;
    argp_parse(&parser, argc, argv, 0, NULL, options);

    if (options->batch % options->accumulate)
        refuse("--accumulate: a batch of %d has no %d equal parts", options->batch, options->accumulate);
    if (options->loss == LOSS_XENT && options->sizes[options->layers] > options->sizes[0])
        refuse("--loss: xent takes its classes from the input's columns, and %d outputs are more than %d",
               options->sizes[options->layers], options->sizes[0]);
    if (options->rate == 0) options->rate = options->optimizer == OPTIMIZER_ADAMW ? 1e-4f : 1e-3f;
}
