/*
 * Kinds of memory: what names say of phases, how lives are told apart, and a PyTorch training of two steps in small.
 */
#include "tests/unit/scripts.h"
#include "viewer/analysis/kind_lifetimes.h"
#include "viewer/frameworks/phase_names.h"
#include "viewer/views/views.h"

#define TORCH "/usr/lib/python3/dist-packages/torch"

static void test_ranges_say_phases_and_steps(void **state) {
    static const struct {
        const char *text;
        enum mt_phase phase;
        bool step;
    } cases[] = {
        {"forward", MT_PHASE_FORWARD, false},
        {"Model.Forward", MT_PHASE_FORWARD, false},
        {"feedforward", MT_PHASE_OTHER, false},
        {"MmBackward0, seq = 3", MT_PHASE_BACKWARD, false},
        {"Optimizer.step#AdamW.step", MT_PHASE_OPTIMIZER, false},
        {"Optimizer.zero_grad#AdamW.zero_grad", MT_PHASE_OTHER, false},
        {"loss", MT_PHASE_FORWARD, false},
        {"optim.step", MT_PHASE_OPTIMIZER, false},
        {"my_optim", MT_PHASE_OPTIMIZER, false},
        {"optimized forward", MT_PHASE_FORWARD, false},
        {"step", MT_PHASE_OTHER, true},
        {"train step 12", MT_PHASE_OTHER, true},
        {"Iteration:3", MT_PHASE_OTHER, true},
        {"step two", MT_PHASE_OTHER, false},
        {"stepping", MT_PHASE_OTHER, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        assert_int_equal(mt_phase_of_range(cases[i].text), cases[i].phase);
        assert_int_equal(mt_is_step_range(cases[i].text), cases[i].step);
    }
}

static void test_python_frames_say_phases(void **state) {
    static const struct {
        const char *function, *file;
        bool known, certain;
        enum mt_phase phase;
    } cases[] = {
        {"_call_impl", TORCH "/nn/modules/module.py", true, true, MT_PHASE_FORWARD},
        {"forward", TORCH "/nn/modules/linear.py", true, true, MT_PHASE_FORWARD},
        {"__init__", TORCH "/nn/modules/linear.py", true, true, MT_PHASE_SETUP},
        {"<lambda>", TORCH "/nn/modules/module.py", false, false, MT_PHASE_OTHER}, // t.cuda(): its caller tells
        {"_apply", TORCH "/nn/modules/module.py", true, true, MT_PHASE_SETUP},
        {"linear", TORCH "/nn/functional.py", false, false, MT_PHASE_OTHER},
        {"_multi_tensor_adam", TORCH "/optim/adam.py", true, true, MT_PHASE_OPTIMIZER},
        {"zero_grad", TORCH "/optim/optimizer.py", true, true, MT_PHASE_OTHER},
        {"backward", TORCH "/_tensor.py", true, true, MT_PHASE_BACKWARD},
        {"_make_grads", TORCH "/autograd/__init__.py", false, false, MT_PHASE_OTHER},
        {"fetch", TORCH "/utils/data/_utils/fetch.py", true, true, MT_PHASE_INPUT},
        {"forward", "/home/me/train.py", true, false, MT_PHASE_FORWARD},
        {"main", "/home/me/train.py", false, false, MT_PHASE_OTHER},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct mt_code_phase said = mt_phase_of_python(cases[i].function, cases[i].file);
        assert_int_equal(said.known, cases[i].known);
        assert_int_equal(said.certain, cases[i].certain);
        assert_int_equal(said.phase, cases[i].phase);
    }
}

static void test_lives_are_told_by_phase_and_length(void **state) {
    struct mt_phase_point forward = {.phase = MT_PHASE_FORWARD, .instance = 3, .step = 1, .forwards = 1};
    struct mt_phase_point before = {.phase = MT_PHASE_OTHER, .instance = 2, .position = MT_BEFORE_FORWARD};
    struct mt_phase_point backward = {.phase = MT_PHASE_BACKWARD, .instance = 4, .step = 1, .forwards = 1};
    struct mt_phase_point optimizer = {MT_PHASE_OPTIMIZER, 5, 1, MT_AFTER_BACKWARD, .forwards = 1, .backwards = 1};
    struct mt_phase_point setup = {.phase = MT_PHASE_SETUP, .instance = 1},
                          moved = {.phase = MT_PHASE_SETUP, .instance = 6};
    struct mt_phase_point third = {MT_PHASE_FORWARD, 9, 3, MT_AFTER_FORWARD, .forwards = 3, .backwards = 2};
    (void)state;
    assert_int_equal(mt_life_of(&setup, &third, false, false), MT_LIFE_MODEL);
    assert_int_equal(mt_life_of(&setup, &before, true, false), MT_LIFE_MODEL);
    assert_int_equal(mt_life_of(&setup, &moved, false, false), MT_LIFE_MODEL_SHORT);
    assert_int_equal(mt_life_of(&setup, &before, false, false), MT_LIFE_MODEL_UNUSED);
    assert_int_equal(mt_life_of(&forward, &forward, false, true), MT_LIFE_FORWARD_LINE);
    assert_int_equal(mt_life_of(&forward, &forward, false, false), MT_LIFE_FORWARD_SHORT);
    assert_int_equal(mt_life_of(&forward, &backward, false, false), MT_LIFE_FORWARD_KEPT);
    assert_int_equal(mt_life_of(&forward, &third, true, false), MT_LIFE_FORWARD_LONG);
    assert_int_equal(mt_life_of(&before, &before, false, true), MT_LIFE_LINE);
    assert_int_equal(mt_life_of(&before, &backward, false, false), MT_LIFE_BEFORE_STEP);
    assert_int_equal(mt_life_of(&before, &optimizer, false, false), MT_LIFE_BEFORE_LONG);
    assert_int_equal(mt_life_of(&backward, &backward, false, false), MT_LIFE_BACKWARD_SHORT);
    assert_int_equal(mt_life_of(&backward, &optimizer, false, false), MT_LIFE_BACKWARD_KEPT);
    assert_int_equal(mt_life_of(&optimizer, &third, false, false), MT_LIFE_OPTIMIZER_KEPT);
}

static void expect_text(const char *text, const char *expected) {
    if (!strstr(text, expected)) fail_msg("'%s' is not in:\n%s", expected, text);
}

struct training {
    struct script *script;
    uint32_t model, input, forward, loss, backward, step;
};

static struct training training_begin(void **state) {
    struct training t = {.script = script_begin(state)};
    struct script *script = t.script;
    script->tensor_api = mt_define_api(script->trace, "torch malloc", MT_EFFECT_ALLOCATED, MT_MEMORY_TENSOR);
    script->tensor_free_api = mt_define_api(script->trace, "torch free", MT_EFFECT_FREED, MT_MEMORY_TENSOR);
    t.model = script_stack(script, "__init__ " TORCH "/nn/modules/linear.py:9", "main t.py:1", NULL);
    t.input = script_stack(script, "main t.py:3", NULL);
    t.forward = script_stack(script, "forward " TORCH "/nn/modules/linear.py:99", "main t.py:4", NULL);
    t.loss = script_stack(script, "main t.py:5", NULL);
    t.backward = script_stack(script, "backward " TORCH "/_tensor.py:600", "main t.py:6", NULL);
    t.step = script_stack(script, "step " TORCH "/optim/adam.py:200", "main t.py:7", NULL);
    return t;
}

static void take(const struct training *t, uint64_t address, uint64_t bytes, uint32_t stack) {
    script_alloc(t->script, t->script->tensor_api, address, bytes, stack);
}

static void give(const struct training *t, uint64_t address, uint32_t stack) {
    script_free(t->script, t->script->tensor_free_api, address, stack);
}

// A parameter of 4096 bytes, and per step an input of 1024 and an output of 512.
static void train(const struct training *t, bool first) {
    take(t, 0x2000, 1024, t->input);
    take(t, 0x3000, 512, t->forward);
    take(t, 0x4000, 512, t->loss);
    take(t, 0x5000, 2048, t->backward);
    if (first) take(t, 0x6000, 4096, t->backward); // the gradient
    give(t, 0x5000, t->backward);
    give(t, 0x3000, t->backward);
    if (first) take(t, 0x8000, 8192, t->step); // the optimizer's
    take(t, 0xa000, 4096, t->step);
    give(t, 0xa000, t->step);
    give(t, 0x4000, t->loss);
    give(t, 0x2000, t->loss);
}

static void test_a_training_is_told_by_kinds(void **state) {
    struct training t = training_begin(state);
    take(&t, 0x1000, 4096, t.model);
    train(&t, true);
    train(&t, false);
    char *text = script_show(script_report(t.script), mt_view_kinds);
    expect_text(text, "Device 0 (Test GPU): kinds of memory at the peak of 22,016 bytes (21.5 KiB) in tensors after "
                      "0.000 s, in step 1\n");
    expect_text(text, "              4,096    4.00 KiB   18.6 %        1  parameters: made by torch.nn ");
    expect_text(text,
                "              4,096    4.00 KiB   18.6 %        1  gradients: made in backward, kept after it, ");
    expect_text(text, "              8,192    8.00 KiB   37.2 %        1  optimizer state: made by the optimizer, ");
    expect_text(text,
                "                512       512 B    2.3 %        1  activations: made between forward and backward\n");
    expect_text(text, "              1,024    1.00 KiB    4.7 %        1  inputs: made anew for each step ");
    expect_text(text,
                "              4,096    4.00 KiB   18.6 %        1  temporary: made and gone within the optimizer\n");
    expect_text(text, "             22,016    21.5 KiB  100.0 %        6  total\n"
                      "  Most of each kind in each step (each ends with the optimizer):\n");
    expect_text(text, "  step              total  parameters   gradients  optimizer state  activations      inputs   "
                      "temporary\n"
                      "  before         5.00 KiB    4.00 KiB           -                -            -    1.00 KiB"
                      "           -\n"
                      "  1-2            21.5 KiB    4.00 KiB    4.00 KiB         8.00 KiB     1.00 KiB    1.00 KiB"
                      "    4.00 KiB\n"
                      "\n");
    free(text);
    script_close(t.script);
}

// Two forwards and backwards, in a loop, before the optimizer uses the sum of their gradients.
static void test_parts_of_a_step_have_inputs_too(void **state) {
    struct training t = training_begin(state);
    take(&t, 0x1000, 4096, t.model);
    for (int part = 0; part < 2; part++) {
        take(&t, 0x2000, 1024, t.input);
        take(&t, 0x3000, 512, t.forward);
        take(&t, 0x4000, 256, t.loss);
        if (!part) take(&t, 0x6000, 4096, t.backward);
        if (part) take(&t, 0x5000, 8192, t.backward); // the peak is in the second part
        if (part) give(&t, 0x5000, t.backward);
        give(&t, 0x3000, t.backward);
        give(&t, 0x4000, t.loss);
        give(&t, 0x2000, t.loss);
    }
    take(&t, 0x8000, 2048, t.step);
    char *text = script_show(script_report(t.script), mt_view_kinds);
    expect_text(text, "              1,024    1.00 KiB    5.6 %        1  inputs: made anew for each step ");
    expect_text(text, "                256       256 B    1.4 %        1  activations: made between forward and ");
    assert_null(strstr(text, "unknown"));
    free(text);
    script_close(t.script);
}

// A running average of the parameters: first made before the steps, then anew after each optimizer.
static void test_copies_of_parameters_are_no_inputs(void **state) {
    struct training t = training_begin(state);
    uint32_t first = script_stack(t.script, "main t.py:2", NULL), again = script_stack(t.script, "main t.py:8", NULL);
    take(&t, 0x1000, 4096, t.model);
    take(&t, 0x1f000, 512, t.model);
    take(&t, 0x11000, 4096, first);
    take(&t, 0x12000, 512, first);
    for (uint64_t step = 1; step <= 3; step++) {
        train(&t, step == 1);
        take(&t, 0x11000 + (step << 16), 4096, again);
        take(&t, 0x12000 + (step << 16), 512, again);
        give(&t, 0x11000 + ((step - 1) << 16), again);
        give(&t, 0x12000 + ((step - 1) << 16), again);
    }
    char *text = script_show(script_report(t.script), mt_view_kinds);
    expect_text(text, "  inputs: made anew for each step before its forward\n");
    assert_null(strstr(text, "inputs: made by the program"));
    expect_text(text, "              4,608    4.50 KiB   17.0 %        2  unknown: made by the program, of a param");
    free(text);
    script_close(t.script);
}

static void launch(const struct training *t, const char *kernel) {
    struct mt_trace *trace = t->script->trace;
    struct mt_launch_shape shape = {.kernel = mt_define_kernel(trace, kernel), .grid = {1, 1, 1}, .block = {1, 1, 1}};
    struct mt_event event = {.time_ns = t->script->start_ns + 1000 * ++t->script->events, .api = t->script->malloc_api};
    mt_write_launch(t->script->streams[0], &event, mt_define_launch(trace, &shape));
}

// SGD as PyTorch has it, and gradients that are thrown away: a new one in each backward.
static void plain_descent(const struct training *t, bool launches, uint32_t zero_grad) {
    take(t, 0x3000, 512, t->forward);
    take(t, 0x6000, 4096, t->backward);
    give(t, 0x3000, t->backward);
    if (launches) launch(t, "_ZN2at6native12_GLOBAL__N_125multi_tensor_apply_kernelINS1_18TensorListMetadataILi2EEE");
    give(t, 0x6000, zero_grad);
}

static void test_optimizers_that_allocate_nothing_end_steps(void **state) {
    for (int launches = 0; launches < 2; launches++) {
        struct training t = training_begin(state);
        uint32_t plainly = script_stack(t.script, "main t.py:9", NULL);
        uint32_t zero_grad = script_stack(t.script, "zero_grad " TORCH "/optim/optimizer.py:99", "main t.py:9", NULL);
        take(&t, 0x1000, 4096, t.model);
        for (int step = 1; step <= 3; step++) plain_descent(&t, launches, launches ? plainly : zero_grad);
        take(&t, 0x9000, 8192, t.forward);
        take(&t, 0x6000, 4096, t.backward);
        take(&t, 0x8000, 8192, t.step); // another optimizer, with a state
        char *text = script_show(script_report(t.script), mt_view_kinds);
        expect_text(text, " in tensors after 0.000 s, in step 4\n");
        expect_text(text, " (each ends with the optimizer):\n");
        free(text);
        script_close(t.script);
    }
}

// As one that runs out of memory does.
static void test_a_model_that_is_never_used_has_parameters(void **state) {
    struct training t = training_begin(state);
    take(&t, 0x1000, 4096, t.model);
    take(&t, 0x2000, 512, t.model);
    give(&t, 0x2000, t.model);
    give(&t, 0x1000, t.loss);
    char *text = script_show(script_report(t.script), mt_view_kinds);
    expect_text(text, "              4,096    4.00 KiB   88.9 %        1  parameters: made by torch.nn ");
    expect_text(text, "                512       512 B   11.1 %        1  temporary: gone before the model was used\n");
    free(text);
    script_close(t.script);
}

// PyTorch does not split off the rest of a large block if it is less than a MiB.
static void test_a_gradient_may_lie_in_a_somewhat_larger_block(void **state) {
    struct training t = training_begin(state);
    take(&t, 0x10000000, 2 * MIB, t.model);
    take(&t, 0x11000000, 8 * MIB, t.model);
    take(&t, 0x12000000, 512, t.forward);
    take(&t, 0x13000000, 3 * MIB, t.backward);
    take(&t, 0x14000000, 9 * MIB, t.backward);
    take(&t, 0x15000000, 5 * MIB, t.backward);
    take(&t, 0x16000000, 512, t.step);
    give(&t, 0x16000000, t.step);
    char *text = script_show(script_report(t.script), mt_view_kinds);
    expect_text(text,
                "         12,582,912    12.0 MiB   44.4 %        2  gradients: made in backward, kept after it, of a ");
    expect_text(text,
                "          5,242,880    5.00 MiB   18.5 %        1  unknown: made in backward, kept after it, of no ");
    free(text);
    script_close(t.script);
}

static void test_without_phases_all_is_unknown(void **state) {
    struct script *script = script_begin(state);
    script_alloc(script, script->malloc_api, 0x200000, 2 * MIB, 0);
    char *text = script_show(script_report(script), mt_view_kinds);
    assert_non_null(strstr(text, "  unknown: made outside forward, backward and optimizer\n"));
    assert_non_null(strstr(text, "  No steps: neither NVTX ranges nor PyTorch tell of a forward"));
    free(text);
    script_close(script);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(test_optimizers_that_allocate_nothing_end_steps),
        TEST(test_copies_of_parameters_are_no_inputs),
        TEST(test_ranges_say_phases_and_steps),
        TEST(test_python_frames_say_phases),
        TEST(test_lives_are_told_by_phase_and_length),
        TEST(test_a_training_is_told_by_kinds),
        TEST(test_parts_of_a_step_have_inputs_too),
        TEST(test_a_model_that_is_never_used_has_parameters),
        TEST(test_without_phases_all_is_unknown),
        TEST(test_a_gradient_may_lie_in_a_somewhat_larger_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
