/* check-kernels: runs every CUDA kernel of the sample against its CPU reference, over shapes even, odd and larger than
 * a tile, and prints one line a kernel. On the simulated device both sides are the same code, so there it checks
 * launching.
 *
 * A kernel passes if no element of what it writes is off by more than TOLERANCE times the largest expected element.
 */
#include "kernels/kernels.h"
#include "kernels/launch.h"
#include "kernels/reference.h"

#include <algorithm>
#include <functional>
#include <math.h>
#include <vector>

#define TOLERANCE 1e-5

struct shape {
    int rows, in, out;
};

static const shape shapes[] = {{1, 1, 1},    {3, 5, 7},      {32, 32, 32},    {33, 65, 17},
                               {64, 257, 1}, {1, 1024, 300}, {70, 129, 1000}, {300, 31, 40}};

/* A device array and its twin for the reference; both start with the same random numbers. */
template <typename element> struct array {
    std::vector<element> host; // [count]
    element *device = NULL;    // [count]

    explicit array(size_t count) : host(count) {
        CUDA_CHECK(cudaMalloc((void **)&device, count * sizeof(element)));
    }
    ~array() {
        CUDA_CHECK(cudaFree(device));
    }
    array(const array &) = delete;
    array &operator=(const array &) = delete;

    void upload() {
        CUDA_CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(element), cudaMemcpyHostToDevice));
    }

    /* How far the device is from the reference, in parts of the largest element expected. */
    double error() const {
        std::vector<element> got(host.size());
        CUDA_CHECK(cudaMemcpy(got.data(), device, got.size() * sizeof(element), cudaMemcpyDeviceToHost));
        double largest = 0, worst = 0;
        for (size_t i = 0; i < got.size(); i++) {
            const double difference = fabs((double)got[i] - (double)host[i]);
            largest = std::max(largest, fabs((double)host[i]));
            worst = difference <= worst ? worst : difference; // a NaN stays
        }
        return worst == 0 ? 0 : worst / largest;
    }
};

typedef array<float> floats;

static uint64_t next_seed = 1;

static void randomize(floats &x) {
    reference_normal_init(x.host.data(), next_seed++, 1.0f, x.host.size());
    x.upload();
}

/* Labels less than `columns`. */
static void randomize(array<int> &labels, int columns) {
    for (size_t i = 0; i < labels.host.size(); i++) labels.host[i] = (int)((i * 7 + next_seed) % columns);
    next_seed++;
    labels.upload();
}

/* Squares, as second moments and log-probabilities (negated) need a sign. */
static void randomize_signed(floats &x, float sign) {
    reference_normal_init(x.host.data(), next_seed++, 1.0f, x.host.size());
    for (float &value : x.host) value = sign * value * value;
    x.upload();
}

struct kernel_check {
    const char *name;
    std::function<double(shape)> run; // the worst error of one shape
};

static const std::vector<kernel_check> matmul_checks = {
    {"matmul_forward",
     [](shape s) {
         floats y(s.rows * s.out), x(s.rows * s.in), w(s.out * s.in);
         randomize(y), randomize(x), randomize(w);
         launch_matmul_forward(y.device, x.device, w.device, s.rows, s.in, s.out, 0);
         reference_matmul_forward(y.host.data(), x.host.data(), w.host.data(), s.rows, s.in, s.out);
         return y.error();
     }},
    {"matmul_backward_input",
     [](shape s) {
         floats dx(s.rows * s.in), dy(s.rows * s.out), w(s.out * s.in);
         randomize(dx), randomize(dy), randomize(w);
         launch_matmul_backward_input(dx.device, dy.device, w.device, s.rows, s.in, s.out, 0);
         reference_matmul_backward_input(dx.host.data(), dy.host.data(), w.host.data(), s.rows, s.in, s.out);
         return dx.error();
     }},
    {"matmul_backward_weight",
     [](shape s) {
         floats dw(s.out * s.in), dy(s.rows * s.out), x(s.rows * s.in);
         randomize(dw), randomize(dy), randomize(x);
         launch_matmul_backward_weight(dw.device, dy.device, x.device, s.rows, s.in, s.out, 0);
         reference_matmul_backward_weight(dw.host.data(), dy.host.data(), x.host.data(), s.rows, s.in, s.out);
         return dw.error();
     }},
};

static const std::vector<kernel_check> pointwise_checks = {
    {"bias_forward",
     [](shape s) {
         floats y(s.rows * s.out), bias(s.out);
         randomize(y), randomize(bias);
         launch_bias_forward(y.device, bias.device, s.rows, s.out, 0);
         reference_bias_forward(y.host.data(), bias.host.data(), s.rows, s.out);
         return y.error();
     }},
    {"bias_backward",
     [](shape s) {
         floats dbias(s.out), dy(s.rows * s.out);
         randomize(dbias), randomize(dy);
         launch_bias_backward(dbias.device, dy.device, s.rows, s.out, 0);
         reference_bias_backward(dbias.host.data(), dy.host.data(), s.rows, s.out);
         return dbias.error();
     }},
    {"relu_forward",
     [](shape s) {
         const size_t n = (size_t)s.rows * s.in;
         floats y(n), x(n);
         randomize(y), randomize(x);
         launch_relu_forward(y.device, x.device, n, 0);
         reference_relu_forward(y.host.data(), x.host.data(), n);
         const double apart = y.error();
         launch_relu_forward(x.device, x.device, n, 0);
         reference_relu_forward(x.host.data(), x.host.data(), n);
         return std::max(apart, x.error());
     }},
    {"relu_backward",
     [](shape s) {
         const size_t n = (size_t)s.rows * s.in;
         floats dx(n), dy(n), y(n);
         randomize(dx), randomize(dy), randomize(y);
         launch_relu_backward(dx.device, dy.device, y.device, n, 0);
         reference_relu_backward(dx.host.data(), dy.host.data(), y.host.data(), n);
         const double apart = dx.error();
         launch_relu_backward(dy.device, dy.device, y.device, n, 0);
         reference_relu_backward(dy.host.data(), dy.host.data(), y.host.data(), n);
         return std::max(apart, dy.error());
     }},
    {"fill",
     [](shape s) {
         floats x(s.rows * s.in);
         randomize(x);
         launch_fill(x.device, 2.5f, x.host.size(), 0);
         reference_fill(x.host.data(), 2.5f, x.host.size());
         return x.error();
     }},
    {"normal_init",
     [](shape s) {
         floats x(s.rows * s.in);
         randomize(x);
         launch_normal_init(x.device, 42, 0.5f, x.host.size(), 0);
         reference_normal_init(x.host.data(), 42, 0.5f, x.host.size());
         return x.error();
     }},
    {"accumulate",
     [](shape s) {
         floats sum(s.rows * s.in), x(s.rows * s.in);
         randomize(sum), randomize(x);
         launch_accumulate(sum.device, x.device, x.host.size(), 0);
         reference_accumulate(sum.host.data(), x.host.data(), x.host.size());
         return sum.error();
     }},
};

static const std::vector<kernel_check> loss_checks = {
    {"mse_forward",
     [](shape s) {
         floats loss(1), prediction(s.rows * s.out), target(s.rows * s.in);
         randomize(loss), randomize(prediction), randomize(target);
         launch_mse_forward(loss.device, prediction.device, target.device, s.rows, s.out, s.in, 0.25f, 0);
         reference_mse_forward(loss.host.data(), prediction.host.data(), target.host.data(), s.rows, s.out, s.in,
                               0.25f);
         return loss.error();
     }},
    {"mse_backward",
     [](shape s) {
         floats d(s.rows * s.out), prediction(s.rows * s.out), target(s.rows * s.in);
         randomize(d), randomize(prediction), randomize(target);
         launch_mse_backward(d.device, prediction.device, target.device, s.rows, s.out, s.in, 0.25f, 0);
         reference_mse_backward(d.host.data(), prediction.host.data(), target.host.data(), s.rows, s.out, s.in, 0.25f);
         return d.error();
     }},
    {"log_softmax_forward",
     [](shape s) {
         floats logp(s.rows * s.out), logits(s.rows * s.out);
         randomize(logp), randomize(logits);
         launch_log_softmax_forward(logp.device, logits.device, s.rows, s.out, 0);
         reference_log_softmax_forward(logp.host.data(), logits.host.data(), s.rows, s.out);
         return logp.error();
     }},
    {"cross_entropy_forward",
     [](shape s) {
         floats loss(1), logp(s.rows * s.out);
         array<int> labels(s.rows);
         randomize(loss), randomize_signed(logp, -1), randomize(labels, s.out);
         launch_cross_entropy_forward(loss.device, logp.device, labels.device, s.rows, s.out, 0.25f, 0);
         reference_cross_entropy_forward(loss.host.data(), logp.host.data(), labels.host.data(), s.rows, s.out, 0.25f);
         return loss.error();
     }},
    {"cross_entropy_backward",
     [](shape s) {
         floats d(s.rows * s.out), logp(s.rows * s.out);
         array<int> labels(s.rows);
         randomize(d), randomize_signed(logp, -1), randomize(labels, s.out);
         launch_cross_entropy_backward(d.device, logp.device, labels.device, s.rows, s.out, 0.25f, 0);
         reference_cross_entropy_backward(d.host.data(), logp.host.data(), labels.host.data(), s.rows, s.out, 0.25f);
         return d.error();
     }},
    {"argmax_rows",
     [](shape s) {
         array<int> labels(s.rows);
         floats x(s.rows * s.in);
         const int columns = (s.in + 1) / 2;
         randomize(labels, s.rows), randomize(x);
         launch_argmax_rows(labels.device, x.device, s.rows, columns, s.in, 0);
         reference_argmax_rows(labels.host.data(), x.host.data(), s.rows, columns, s.in);
         return labels.error();
     }},
};

static const std::vector<kernel_check> optimizer_checks = {
    {"sgd_update",
     [](shape s) {
         floats w(s.out * s.in), g(s.out * s.in);
         randomize(w), randomize(g);
         launch_sgd_update(w.device, g.device, 0.1f, w.host.size(), 0);
         reference_sgd_update(w.host.data(), g.host.data(), 0.1f, w.host.size());
         return w.error();
     }},
    {"momentum_update",
     [](shape s) {
         floats w(s.out * s.in), velocity(s.out * s.in), g(s.out * s.in);
         randomize(w), randomize(velocity), randomize(g);
         launch_momentum_update(w.device, velocity.device, g.device, 0.1f, 0.9f, w.host.size(), 0);
         reference_momentum_update(w.host.data(), velocity.host.data(), g.host.data(), 0.1f, 0.9f, w.host.size());
         return std::max(w.error(), velocity.error());
     }},
    {"adamw_moments",
     [](shape s) {
         const size_t n = (size_t)s.out * s.in;
         floats direction(n), scale(n), first(n), second(n), g(n);
         randomize(direction), randomize(scale), randomize(first), randomize_signed(second, 1), randomize(g);
         launch_adamw_moments(direction.device, scale.device, first.device, second.device, g.device, 0.9f, 0.999f,
                              1e-8f, 3, n, 0);
         reference_adamw_moments(direction.host.data(), scale.host.data(), first.host.data(), second.host.data(),
                                 g.host.data(), 0.9f, 0.999f, 1e-8f, 1 - powf(0.9f, 3), 1 - powf(0.999f, 3), n);
         return std::max({direction.error(), scale.error(), first.error(), second.error()});
     }},
    {"adamw_apply",
     [](shape s) {
         const size_t n = (size_t)s.out * s.in;
         floats w(n), direction(n), scale(n);
         randomize(w), randomize(direction), randomize_signed(scale, 1);
         for (float &value : scale.host) value += 0.1f;
         scale.upload();
         launch_adamw_apply(w.device, direction.device, scale.device, 0.1f, 0.01f, n, 0);
         reference_adamw_apply(w.host.data(), direction.host.data(), scale.host.data(), 0.1f, 0.01f, n);
         return w.error();
     }},
};

int main(void) {
    int passed = 0, failed = 0;

    for (const auto *checks : {&matmul_checks, &pointwise_checks, &loss_checks, &optimizer_checks})
        for (const kernel_check &check : *checks) {
            double worst = 0;
            for (const shape &s : shapes) {
                const double error = check.run(s);
                worst = error <= worst ? worst : error; // a NaN stays
            }
            const bool right = worst <= TOLERANCE;
            printf("%-24s %zu shapes, largest error %.1e: %s\n", check.name, sizeof shapes / sizeof *shapes, worst,
                   right ? "passed" : "FAILED");
            right ? passed++ : failed++;
        }
    printf("%d passed, %d failed\n", passed, failed);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
