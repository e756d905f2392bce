/* Trains a multilayer perceptron with kernels of its own: the reference workload, whose device memory is known to the
 * byte.
 *
 * Memory comes and goes as in PyTorch: parameters when the model is made; activations in the forward, kept until the
 * backward has used them; gradients at the first backward, optimizer state at the first step, and both stay; the output
 * and the loss are held until the next ones replace them. Every tensor is asked for by TENSOR_ALLOC, which also counts
 * it in the ledger, so that a tracer's report can be compared with --ledger (samples/ledger.h). --help lists the
 * options.
 *
 * Read it top to bottom: model, data, forward, loss, backward, optimizer, one step, the whole run.
 */
#include "kernels/kernels.h"
#include "samples/options.h"
#include "samples/tensor.h"

#include <math.h>
#include <string.h>
#include <vector>

static struct options options;
static cudaStream_t stream; // all work goes here, in order

/* ---- The model: layers of y = x wT (+ bias), with a ReLU between them ---- */

struct parameter {
    char name[32];
    size_t count;                // elements
    float *value;                // [count]; NULL for a bias that the model does without
    float *gradient;             // [count], from the first backward on
    float *velocity;             // [count], momentum: from the first step on
    float *moment1, *moment2;    // [count], AdamW: likewise
    struct tensor_shape extents; // of all of them
};

struct layer {
    int in, out;
    struct parameter weight; // [out, in]
    struct parameter bias;   // [out]
};

struct model {
    int count; // of layers
    struct layer layers[MOST_LAYERS];
};

static void parameters_create(struct layer *layer, int index, int in, int out) {
    struct parameter *weight = &layer->weight, *bias = &layer->bias;
    layer->in = in;
    layer->out = out;

    snprintf(weight->name, sizeof weight->name, "layer%d.weight", index);
    weight->extents = {{out, in}};
    weight->count = (size_t)out * in;
    TENSOR_ALLOC(weight->value, "parameters", weight->name, weight->extents);
    launch_normal_init(weight->value, options.seed + 1 + index, 1.0f / sqrtf(in), weight->count, stream);

    if (!options.bias) return;
    snprintf(bias->name, sizeof bias->name, "layer%d.bias", index);
    bias->extents = {{out}};
    bias->count = out;
    TENSOR_ALLOC(bias->value, "parameters", bias->name, bias->extents);
    launch_fill(bias->value, 0.0f, bias->count, stream);
}

/* The parameters that exist, first layer first. */
static std::vector<struct parameter *> model_parameters(struct model *model) {
    std::vector<struct parameter *> all;
    for (int l = 0; l < model->count; l++) {
        all.push_back(&model->layers[l].weight);
        if (options.bias) all.push_back(&model->layers[l].bias);
    }
    return all;
}

static void model_create(struct model *model) {
    model->count = options.layers;
    for (int l = 0; l < model->count; l++)
        parameters_create(&model->layers[l], l, options.sizes[l], options.sizes[l + 1]);
}

static void parameters_free(struct parameter *p) {
    TENSOR_FREE(p->moment2);
    TENSOR_FREE(p->moment1);
    TENSOR_FREE(p->velocity);
    TENSOR_FREE(p->gradient);
    TENSOR_FREE(p->value);
}

/* ---- The data: one batch of normal numbers, seen in every step ---- */

struct data {
    int rows;
    float *input; // [rows, in]
    int *labels;  // [rows], for cross-entropy
};

/* What there is to learn is in the input itself: the first columns of a row (mean square), or which of them is the
 * largest (cross-entropy). So a target takes no memory of its own. */
static void input_create(struct data *data, int rows) {
    const int in = options.sizes[0], out = options.sizes[options.layers];
    data->rows = rows;
    TENSOR_ALLOC(data->input, "input", "input", {rows, in});
    launch_normal_init(data->input, options.seed, 1.0f, (size_t)rows * in, stream);
    if (options.loss != LOSS_XENT) return;
    TENSOR_ALLOC(data->labels, "input", "labels", {rows});
    launch_argmax_rows(data->labels, data->input, rows, out, in, stream);
}

static void input_free(struct data *data) {
    TENSOR_FREE(data->labels);
    TENSOR_FREE(data->input);
}

/* ---- Forward ---- */

/* What one forward leaves for its backward. */
struct graph {
    int rows;
    const float *input;             // [rows, in], part of the data
    const int *labels;              // [rows], likewise
    float *activation[MOST_LAYERS]; // [rows, out of the layer], after the ReLU; the last is the output
    float *logp;                    // [rows, out], for cross-entropy
    float *loss;                    // [1]
};

struct run {
    struct model model;
    struct data data;
    struct graph last; // what the latest forward made, until the next one replaces it
    float *total;      // [1], the sum of the losses kept
    int step;          // from 1
};

static const char *layer_tensor(int layer, const char *what) {
    static char name[32];
    snprintf(name, sizeof name, "layer%d.%s", layer, what);
    return name;
}

/* max(x, 0), in place or in a tensor that replaces x. */
static float *relu(float *x, int layer, int rows, int columns) {
    const size_t n = (size_t)rows * columns;
    if (options.inplace_relu) {
        launch_relu_forward(x, x, n, stream);
        return x;
    }
    float *y; // [rows, columns]
    TENSOR_ALLOC(y, "activation", layer_tensor(layer, "relu"), {rows, columns});
    launch_relu_forward(y, x, n, stream);
    TENSOR_FREE(x);
    return y;
}

static void forward(const struct model *model, struct graph *g) {
    const float *x = g->input; // [rows, in]
    for (int l = 0; l < model->count; l++) {
        const struct layer *layer = &model->layers[l];
        float *y; // [rows, out]
        TENSOR_ALLOC(y, "activation", layer_tensor(l, "linear"), {g->rows, layer->out});
        launch_matmul_forward(y, x, layer->weight.value, g->rows, layer->in, layer->out, stream);
        if (options.bias) launch_bias_forward(y, layer->bias.value, g->rows, layer->out, stream);
        if (options.no_grad && l > 0) TENSOR_FREE(g->activation[l - 1]);
        if (l + 1 < model->count) y = relu(y, l, g->rows, layer->out);
        g->activation[l] = y;
        x = y;
    }
}

/* The loss is a mean over the whole batch, of which g may be a part. */
static float loss_scale(const struct data *data, int out) {
    return 1.0f / (options.loss == LOSS_XENT ? data->rows : (float)data->rows * out);
}

static void loss_forward(const struct run *run, struct graph *g) {
    const int in = options.sizes[0], out = options.sizes[options.layers];
    const float *output = g->activation[options.layers - 1]; // [rows, out]
    const float scale = loss_scale(&run->data, out);

    if (options.loss == LOSS_XENT) {
        TENSOR_ALLOC(g->logp, "activation", "log_softmax", {g->rows, out});
        launch_log_softmax_forward(g->logp, output, g->rows, out, stream);
    }
    TENSOR_ALLOC(g->loss, "loss", "loss", {1});
    if (options.loss == LOSS_XENT)
        launch_cross_entropy_forward(g->loss, g->logp, g->labels, g->rows, out, scale, stream);
    else
        launch_mse_forward(g->loss, output, g->input, g->rows, out, in, scale, stream);
    if (options.no_grad) TENSOR_FREE(g->logp);
}

/* Frees what a forward made and no backward has freed yet, all but the loss. */
static void activations_free(struct graph *g) {
    for (int l = 0; l < options.layers; l++) TENSOR_FREE(g->activation[l]);
    TENSOR_FREE(g->logp);
}

static void loss_free(struct graph *g) {
    TENSOR_FREE(g->loss);
}

static float loss_read(const struct graph *g) {
    float value = 0;
    CUDA_CHECK(cudaMemcpyAsync(&value, g->loss, sizeof value, cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    return value;
}

/* ---- Backward ---- */

static void gradients_create(struct parameter *p) {
    if (p->gradient) return;
    TENSOR_ALLOC(p->gradient, "gradients", p->name, p->extents);
    launch_fill(p->gradient, 0.0f, p->count, stream);
}

static void gradients_zero(struct model *model) {
    for (struct parameter *p : model_parameters(model))
        if (p->gradient) launch_fill(p->gradient, 0.0f, p->count, stream);
}

/* The gradient of the loss by the output: a new tensor [rows, out]. */
static float *loss_backward(const struct run *run, struct graph *g) {
    const int in = options.sizes[0], out = options.sizes[options.layers];
    const float *output = g->activation[options.layers - 1]; // [rows, out]
    const float scale = loss_scale(&run->data, out);
    float *dy; // [rows, out]

    TENSOR_ALLOC(dy, "temporary", "d_output", {g->rows, out});
    if (options.loss == LOSS_XENT)
        launch_cross_entropy_backward(dy, g->logp, g->labels, g->rows, out, scale, stream);
    else
        launch_mse_backward(dy, output, g->input, g->rows, out, in, scale, stream);
    if (!options.keep_loss) TENSOR_FREE(g->logp);
    return dy;
}

/* Adds to every gradient, last layer first, and frees each activation once it has served. With --keep-loss the graph
 * outlives its backward, as with retain_graph=True. */
static void backward(struct run *run, struct graph *g) {
    float *dy = loss_backward(run, g); // [rows, out]
    for (int l = options.layers - 1; l >= 0; l--) {
        struct layer *layer = &run->model.layers[l];
        const float *x = l > 0 ? g->activation[l - 1] : g->input; // [rows, in]
        float *dx = NULL;                                         // [rows, in]; the input itself needs none

        gradients_create(&layer->weight);
        launch_matmul_backward_weight(layer->weight.gradient, dy, x, g->rows, layer->in, layer->out, stream);
        if (options.bias) {
            gradients_create(&layer->bias);
            launch_bias_backward(layer->bias.gradient, dy, g->rows, layer->out, stream);
        }
        if (l > 0) {
            TENSOR_ALLOC(dx, "temporary", layer_tensor(l, "d_input"), {g->rows, layer->in});
            launch_matmul_backward_input(dx, dy, layer->weight.value, g->rows, layer->in, layer->out, stream);
            launch_relu_backward(dx, dx, x, (size_t)g->rows * layer->in, stream);
            if (!options.keep_loss) TENSOR_FREE(g->activation[l - 1]);
        }
        TENSOR_FREE(dy);
        dy = dx;
    }
}

/* ---- Optimizer ---- */

static void momentum_create(struct parameter *p) {
    TENSOR_ALLOC(p->velocity, "optimizer", p->name, p->extents);
    launch_fill(p->velocity, 0.0f, p->count, stream);
}

static void moments_create(struct parameter *p) {
    TENSOR_ALLOC(p->moment1, "optimizer", p->name, p->extents);
    TENSOR_ALLOC(p->moment2, "optimizer", p->name, p->extents);
    launch_fill(p->moment1, 0.0f, p->count, stream);
    launch_fill(p->moment2, 0.0f, p->count, stream);
}

static void adamw_step(struct parameter *p, int step) {
    float *direction, *scale; // [count] each, for this step alone
    if (!p->moment1) moments_create(p);
    TENSOR_ALLOC(direction, "temporary", "adamw.direction", p->extents);
    TENSOR_ALLOC(scale, "temporary", "adamw.scale", p->extents);
    launch_adamw_moments(direction, scale, p->moment1, p->moment2, p->gradient, 0.9f, 0.999f, 1e-8f, step, p->count,
                         stream);
    launch_adamw_apply(p->value, direction, scale, options.rate, 0.01f, p->count, stream);
    TENSOR_FREE(scale);
    TENSOR_FREE(direction);
}

static void optimizer_step(struct run *run) {
    for (struct parameter *p : model_parameters(&run->model)) {
        switch (options.optimizer) {
        case OPTIMIZER_SGD:
            launch_sgd_update(p->value, p->gradient, options.rate, p->count, stream);
            break;
        case OPTIMIZER_MOMENTUM:
            if (!p->velocity) momentum_create(p);
            launch_momentum_update(p->value, p->velocity, p->gradient, options.rate, 0.9f, p->count, stream);
            break;
        case OPTIMIZER_ADAMW:
            adamw_step(p, run->step);
            break;
        case OPTIMIZER_NONE:
            break;
        }
    }
}

/* ---- One step ---- */

static bool trains(void) {
    return options.optimizer != OPTIMIZER_NONE && !options.no_grad;
}

/* Ends the phase `name` of the step, or of its part if the batch has several. */
static void end_phase(const struct run *run, int part, const char *name) {
    char phase[64];
    if (options.accumulate > 1 && part >= 0)
        snprintf(phase, sizeof phase, "step%d.part%d.%s", run->step, part + 1, name);
    else
        snprintf(phase, sizeof phase, "step%d.%s", run->step, name);
    allocator_phase(phase);
}

/* The graph of part `part` of `parts` equal ones of the batch, before its forward. */
static struct graph graph_create(const struct run *run, int part, int parts) {
    struct graph g = {};
    g.rows = run->data.rows / parts;
    g.input = run->data.input + (size_t)part * g.rows * options.sizes[0];
    if (run->data.labels) g.labels = run->data.labels + part * g.rows;
    return g;
}

/* The mistake that --keep-loss is there to show: adding up the loss tensors, not their values. Each brings its graph
 * along, so nothing that this forward made is ever freed. */
static void total_keep(struct run *run, const struct graph *g) {
    if (!run->total) {
        TENSOR_ALLOC(run->total, "loss", "total", {1});
        launch_fill(run->total, 0.0f, 1, stream);
    }
    launch_accumulate(run->total, g->loss, 1, stream);
}

/* Forward and backward of one part of the batch; its share of the loss. */
static float part_run(struct run *run, int part) {
    struct graph g = graph_create(run, part, options.accumulate);

    nvtxRangePushA("forward");
    forward(&run->model, &g);
    if (!options.keep_loss || options.no_grad) activations_free(&run->last);
    end_phase(run, part, "forward");
    loss_forward(run, &g);
    if (options.keep_loss)
        total_keep(run, &g);
    else
        loss_free(&run->last);
    run->last = g;
    end_phase(run, part, "loss");
    nvtxRangePop();

    if (trains()) {
        nvtxRangePushA("backward");
        backward(run, &run->last);
        end_phase(run, part, "backward");
        nvtxRangePop();
    }
    return loss_read(&run->last);
}

static float step_run(struct run *run) {
    float loss = 0;
    nvtxRangePushA("step");
    run->step++;
    gradients_zero(&run->model);
    for (int part = 0; part < options.accumulate; part++) loss += part_run(run, part);
    if (trains()) {
        nvtxRangePushA("optimizer");
        optimizer_step(run);
        end_phase(run, -1, "optimizer");
        nvtxRangePop();
    }
    nvtxRangePop();
    printf("step %d loss %.6f\n", run->step, loss);
    return loss;
}

/* ---- What else the experiments need ---- */

/* A batch whose activations would take 256 GiB. The device's refusal is an answer: go on with half the batch. */
static void oversized_batch_try(struct run *run) {
    const struct tensor_shape extents = {{65536, 1024, 1024}};
    float *activation;
    cudaError_t status = cudaSuccess;
    TENSOR_TRY_ALLOC(status, activation, "activation", "oversized", extents);
    if (status == cudaSuccess) {
        TENSOR_FREE(activation);
        printf("the device has 256 GiB to spare; going on as before\n");
        return;
    }
    if (status != cudaErrorMemoryAllocation) CUDA_CHECK(status);
    (void)cudaGetLastError(); // taken note of

    const int parts = options.accumulate, half = run->data.rows / 2 / parts * parts;
    printf("out of memory: %zu bytes refused; going on with a batch of %d\n", tensor_bytes(extents),
           half ? half : parts);
    input_free(&run->data);
    input_create(&run->data, half ? half : parts);
    end_phase(run, -1, "oom");
}

/* All gradients of the batch, made in `parts` parts, one after the other. */
static std::vector<float> gradients_of(struct run *run, int parts) {
    std::vector<float> all;
    gradients_zero(&run->model);
    for (int part = 0; part < parts; part++) {
        struct graph g = graph_create(run, part, parts);
        forward(&run->model, &g);
        loss_forward(run, &g);
        backward(run, &g);
        activations_free(&g);
        loss_free(&g);
    }
    for (struct parameter *p : model_parameters(&run->model)) {
        const size_t start = all.size();
        all.resize(start + p->count);
        CUDA_CHECK(cudaMemcpyAsync(&all[start], p->gradient, p->count * sizeof(float), cudaMemcpyDeviceToHost, stream));
        CUDA_CHECK(cudaStreamSynchronize(stream));
    }
    return all;
}

/* Whether the parts of a batch give the gradients of the whole, to 1e-6 of their norm. */
static bool accumulation_check(struct run *run) {
    const std::vector<float> parts = gradients_of(run, options.accumulate), whole = gradients_of(run, 1);
    double difference = 0, norm = 0;
    for (size_t i = 0; i < whole.size(); i++) {
        difference += ((double)parts[i] - whole[i]) * ((double)parts[i] - whole[i]);
        norm += (double)whole[i] * whole[i];
    }
    const double relative = difference > 0 ? sqrt(difference / norm) : 0;
    printf("gradients of %d batches of %d differ from those of one batch of %d by %.1e of their norm\n",
           options.accumulate, run->data.rows / options.accumulate, run->data.rows, relative);
    allocator_phase("check");
    return relative <= 1e-6;
}

/* ---- The whole run ---- */

static void run_free(struct run *run) {
    if (!options.keep_loss) {
        activations_free(&run->last);
        loss_free(&run->last);
    }
    input_free(&run->data);
    for (struct parameter *p : model_parameters(&run->model)) parameters_free(p);
}

int main(int argc, char **argv) {
    static struct run run;
    options_parse(&options, argc, argv);
    ledger_enable(options.ledger);
    CUDA_CHECK(cudaStreamCreate(&stream));
    allocator_create((enum allocator_kind)options.allocator, stream);

    model_create(&run.model);
    allocator_phase("model");
    input_create(&run.data, options.batch);
    allocator_phase("input");

    float first = 0, latest = 0;
    for (int step = 0; step < options.steps; step++) {
        latest = step_run(&run);
        if (step == 0) first = latest;
        if (step == 0 && options.oom) oversized_batch_try(&run);
    }
    printf("loss %.6f -> %.6f in %d steps\n", first, latest, options.steps);
    allocator_phase("end");

    const bool right = options.accumulate == 1 || !trains() || accumulation_check(&run);
    run_free(&run);
    allocator_phase("freed");
    allocator_empty_cache();
    allocator_phase("empty_cache");

    allocator_destroy();
    CUDA_CHECK(cudaStreamDestroy(stream));
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
