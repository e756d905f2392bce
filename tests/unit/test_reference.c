/* The CPU reference of the sample's kernels: by hand where a result can be written down, and each backward against
 * finite differences of its forward. The CUDA kernels are checked against this reference by kernels/check.cu.
 */
#include "kernels/reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROWS = 5, IN = 11, OUT = 3 }; // no multiple of the reference's own blocks

static float x[ROWS * IN], w[OUT * IN], bias[OUT], target[ROWS * IN];
static const int labels[ROWS] = {2, 0, 1, 1, 2};

static int randomize(void **state) {
    (void)state;
    reference_normal_init(x, 1, 1, ROWS * IN);
    reference_normal_init(w, 2, 0.3f, OUT * IN);
    reference_normal_init(bias, 3, 1, OUT);
    reference_normal_init(target, 4, 1, ROWS * IN);
    return 0;
}

static void assert_near(double got, double expected, double tolerance) {
    if (fabs(got - expected) <= tolerance * fmax(1, fabs(expected))) return;
    fail_msg("%.9g is not %.9g", got, expected);
}

/* A network of one layer, ReLU, and either loss: the whole forward, as a function of x, w and bias. */
static float network_loss(int use_labels) {
    float y[ROWS * OUT], logp[ROWS * OUT], loss;
    reference_matmul_forward(y, x, w, ROWS, IN, OUT);
    reference_bias_forward(y, bias, ROWS, OUT);
    reference_relu_forward(y, y, ROWS * OUT);
    if (use_labels) {
        reference_log_softmax_forward(logp, y, ROWS, OUT);
        reference_cross_entropy_forward(&loss, logp, labels, ROWS, OUT, 1.0f / ROWS);
    } else {
        reference_mse_forward(&loss, y, target, ROWS, OUT, IN, 1.0f / (ROWS * OUT));
    }
    return loss;
}

static void network_gradients(int use_labels, float dx[ROWS * IN], float dw[OUT * IN], float dbias[OUT]) {
    float y[ROWS * OUT], logp[ROWS * OUT], dy[ROWS * OUT];
    reference_matmul_forward(y, x, w, ROWS, IN, OUT);
    reference_bias_forward(y, bias, ROWS, OUT);
    reference_relu_forward(y, y, ROWS * OUT);
    if (use_labels) {
        reference_log_softmax_forward(logp, y, ROWS, OUT);
        reference_cross_entropy_backward(dy, logp, labels, ROWS, OUT, 1.0f / ROWS);
    } else {
        reference_mse_backward(dy, y, target, ROWS, OUT, IN, 1.0f / (ROWS * OUT));
    }
    reference_relu_backward(dy, dy, y, ROWS * OUT);
    reference_fill(dw, 0, OUT * IN);
    reference_fill(dbias, 0, OUT);
    reference_matmul_backward_weight(dw, dy, x, ROWS, IN, OUT);
    reference_bias_backward(dbias, dy, ROWS, OUT);
    reference_matmul_backward_input(dx, dy, w, ROWS, IN, OUT);
}

/* Central differences in float: a step of 1e-2 leaves about 1e-4 of rounding and 1e-4 of curvature. */
static void assert_gradient(int use_labels, float *variable, const float *gradient, int n) {
    const float step = 1e-2f;
    for (int i = 0; i < n; i++) {
        const float kept = variable[i];
        variable[i] = kept + step;
        const double above = network_loss(use_labels);
        variable[i] = kept - step;
        const double below = network_loss(use_labels);
        variable[i] = kept;
        assert_near(gradient[i], (above - below) / (2 * step), 1e-3);
    }
}

static void check_gradients(int use_labels) {
    float dx[ROWS * IN], dw[OUT * IN], dbias[OUT];
    network_gradients(use_labels, dx, dw, dbias);
    assert_gradient(use_labels, x, dx, ROWS * IN);
    assert_gradient(use_labels, w, dw, OUT * IN);
    assert_gradient(use_labels, bias, dbias, OUT);
}

static void gradients_of_mean_square_are_its_slopes(void **state) {
    (void)state;
    check_gradients(0);
}

static void gradients_of_cross_entropy_are_its_slopes(void **state) {
    (void)state;
    check_gradients(1);
}

static void matmul_is_rows_times_rows(void **state) {
    // given x [2, 3] and w [2, 3], y [2, 2] holds the dot products of their rows
    const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, -1, 2, 2, 2};
    float y[4];
    (void)state;
    reference_matmul_forward(y, a, b, 2, 3, 2);
    assert_near(y[0], -2, 0);
    assert_near(y[1], 12, 0);
    assert_near(y[2], -2, 0);
    assert_near(y[3], 30, 0);
}

static void weight_gradients_add_up(void **state) {
    float whole[OUT * IN] = {0}, parts[OUT * IN] = {0}, dy[ROWS * OUT];
    (void)state;
    // given the gradient of all rows at once, and of the first two and the others one after the other
    reference_normal_init(dy, 7, 1, ROWS * OUT);
    reference_matmul_backward_weight(whole, dy, x, ROWS, IN, OUT);
    reference_matmul_backward_weight(parts, dy, x, 2, IN, OUT);
    reference_matmul_backward_weight(parts, dy + 2 * OUT, x + 2 * IN, ROWS - 2, IN, OUT);
    // then they are the same
    for (int i = 0; i < OUT * IN; i++) assert_near(parts[i], whole[i], 1e-6);
}

static void relu_keeps_what_is_positive(void **state) {
    float y[] = {-1, 0, 2};
    const float dy[] = {5, 6, 7};
    float dx[3];
    (void)state;
    reference_relu_forward(y, y, 3);
    reference_relu_backward(dx, dy, y, 3);
    assert_near(y[0] + y[1], 0, 0);
    assert_near(y[2], 2, 0);
    assert_near(dx[0] + dx[1], 0, 0);
    assert_near(dx[2], 7, 0);
}

static void softmax_of_huge_logits_is_finite(void **state) {
    const float logits[] = {1000, 1000, -1000, 0};
    float logp[4];
    (void)state;
    reference_log_softmax_forward(logp, logits, 2, 2);
    assert_near(logp[0], -0.693147, 1e-5);
    assert_near(logp[1], -0.693147, 1e-5);
    assert_near(logp[2], -1000, 0);
    assert_near(logp[3], 0, 0);
}

static void mean_square_compares_with_the_first_columns(void **state) {
    // given predictions [2, 2] and targets in rows of three, of which the third is not compared
    const float prediction[] = {1, 2, 3, 4}, wanted[] = {0, 2, 99, 3, 1, 99};
    float loss;
    (void)state;
    reference_mse_forward(&loss, prediction, wanted, 2, 2, 3, 0.25f);
    assert_near(loss, (1 + 0 + 0 + 9) / 4.0, 0);
}

static void argmax_takes_the_first_largest(void **state) {
    const float rows[] = {1, 5, 5, 9, 3, 2, 1, 9};
    int found[2];
    (void)state;
    reference_argmax_rows(found, rows, 2, 3, 4);
    assert_int_equal(found[0], 1);
    assert_int_equal(found[1], 0);
}

static void normal_numbers_have_mean_zero_and_the_given_deviation(void **state) {
    enum { N = 100000 };
    float *sample = malloc(N * sizeof *sample);
    double mean = 0, variance = 0;
    (void)state;
    assert_non_null(sample);
    reference_normal_init(sample, 5, 3, N);
    for (int i = 0; i < N; i++) mean += sample[i] / N;
    for (int i = 0; i < N; i++) variance += (sample[i] - mean) * (sample[i] - mean) / N;
    assert_near(mean, 0, 0.05);
    assert_near(sqrt(variance), 3, 0.02);
    free(sample);
}

static void one_step_of_each_optimizer(void **state) {
    float weight = 1, velocity = 2, first = 0, second = 0, direction, scale;
    const float gradient = 0.5f;
    (void)state;
    reference_sgd_update(&weight, &gradient, 0.1f, 1);
    assert_near(weight, 0.95, 1e-6);

    weight = 1;
    reference_momentum_update(&weight, &velocity, &gradient, 0.1f, 0.9f, 1);
    assert_near(velocity, 2.3, 1e-6);
    assert_near(weight, 0.77, 1e-6);

    // AdamW's first step moves by the rate in the gradient's direction, and decays by rate * decay
    weight = 1;
    reference_adamw_moments(&direction, &scale, &first, &second, &gradient, 0.9f, 0.999f, 0, 0.1f, 0.001f, 1);
    reference_adamw_apply(&weight, &direction, &scale, 0.1f, 0.01f, 1);
    assert_near(first, 0.05, 1e-6);
    assert_near(second, 0.00025, 1e-6);
    assert_near(weight, 1 - 0.1 - 0.001, 1e-4);
}

static void sums_and_fills(void **state) {
    float sum[3];
    const float more[] = {1, 2, 3};
    (void)state;
    reference_fill(sum, 0.5f, 3);
    reference_accumulate(sum, more, 3);
    assert_near(sum[0], 1.5, 0);
    assert_near(sum[1], 2.5, 0);
    assert_near(sum[2], 3.5, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(gradients_of_mean_square_are_its_slopes, randomize),
        cmocka_unit_test_setup(gradients_of_cross_entropy_are_its_slopes, randomize),
        cmocka_unit_test(matmul_is_rows_times_rows),
        cmocka_unit_test_setup(weight_gradients_add_up, randomize),
        cmocka_unit_test(relu_keeps_what_is_positive),
        cmocka_unit_test(softmax_of_huge_logits_is_finite),
        cmocka_unit_test(mean_square_compares_with_the_first_columns),
        cmocka_unit_test(argmax_takes_the_first_largest),
        cmocka_unit_test(normal_numbers_have_mean_zero_and_the_given_deviation),
        cmocka_unit_test(one_step_of_each_optimizer),
        cmocka_unit_test(sums_and_fills),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
