/*
 * Phases by name; see phase_names.h.
 */
#include "viewer/frameworks/phase_names.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

// Whether a word of the text begins so: "forward" is in "model.forward" and "MyForward", not in "feedforward".
static bool has_word(const char *text, const char *word) {
    size_t length = strlen(word);
    for (const char *at = text; *at; at++) {
        if (strncasecmp(at, word, length) != 0) continue;
        if (at == text || !islower((unsigned char)at[-1]) || isupper((unsigned char)*at)) return true;
    }
    return false;
}

// "optim.step", not "optimized".
static bool has_whole_word(const char *text, const char *word) {
    size_t length = strlen(word);
    for (const char *at = text; *at; at++) {
        if (strncasecmp(at, word, length) != 0 || isalpha((unsigned char)at[length])) continue;
        if (at == text || !isalpha((unsigned char)at[-1])) return true;
    }
    return false;
}

enum mt_phase mt_phase_of_range(const char *text) {
    static const struct {
        const char *word;
        enum mt_phase phase;
    } words[] = {
        {"zero_grad", MT_PHASE_OTHER},
        {"optimizer", MT_PHASE_OPTIMIZER},
        {"backward", MT_PHASE_BACKWARD},
        {"bwd", MT_PHASE_BACKWARD},
        {"AccumulateGrad", MT_PHASE_BACKWARD},
        {"forward", MT_PHASE_FORWARD},
        {"fwd", MT_PHASE_FORWARD},
        {"loss", MT_PHASE_FORWARD},
        {"dataload", MT_PHASE_INPUT},
        {"data_load", MT_PHASE_INPUT},
        {"load_data", MT_PHASE_INPUT},
    };
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (has_word(text, words[i].word)) return words[i].phase;
    return has_whole_word(text, "optim") ? MT_PHASE_OPTIMIZER : MT_PHASE_OTHER;
}

bool mt_is_step_range(const char *text) {
    static const char *const words[] = {"step", "iteration", "iter", "batch", "minibatch"};
    if (strncasecmp(text, "train", 5) == 0) {
        text += strncasecmp(text, "training", 8) == 0 ? 8 : 5;
        while (*text == ' ' || *text == '_') text++;
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        size_t length = strlen(words[i]);
        if (strncasecmp(text, words[i], length) != 0) continue;
        const char *rest = text + length;
        rest += strspn(rest, " _:#=-");
        if (rest[strspn(rest, "0123456789")] == '\0') return true;
    }
    return false;
}

static bool is_one_of(const char *name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

static struct mt_code_phase certain(enum mt_phase phase) {
    return (struct mt_code_phase){.known = true, .certain = true, .phase = phase};
}

static struct mt_code_phase zero_grad(void) {
    return (struct mt_code_phase){.known = true, .certain = true, .phase = MT_PHASE_OTHER, .zero_grad = true};
}

// A function of torch/nn/modules: most are there for the forward; module.py, their base, is for other things too.
static struct mt_code_phase of_module(const char *function, const char *file) {
    static const char *const makers[] = {"__init__", "reset_parameters", "_apply", "convert", "cuda", "to", "to_empty"};
    static const char *const callers[] = {"_call_impl", "_wrapped_call_impl", "_slow_forward", "forward"};
    if (strcmp(function, "zero_grad") == 0) return zero_grad();
    if (is_one_of(function, makers, sizeof(makers) / sizeof(*makers))) return certain(MT_PHASE_SETUP);
    bool base = strstr(file, "/modules/module.py") != NULL;
    if (!base || is_one_of(function, callers, sizeof(callers) / sizeof(*callers))) return certain(MT_PHASE_FORWARD);
    return (struct mt_code_phase){0};
}

bool mt_is_update_kernel(const char *name) {
    return strstr(name, "multi_tensor_apply") != NULL;
}

struct mt_code_phase mt_phase_of_python(const char *function, const char *file) {
    const char *torch = strstr(file, "/torch/");
    if (torch) {
        if (strstr(torch, "/torch/optim/")) {
            if (strcmp(function, "zero_grad") == 0) return zero_grad();
            static const char *const outside[] = {"__init__", "add_param_group", "load_state_dict"};
            bool apart = is_one_of(function, outside, sizeof(outside) / sizeof(*outside));
            return certain(apart ? MT_PHASE_OTHER : MT_PHASE_OPTIMIZER);
        }
        if (strstr(torch, "/torch/nn/modules/")) return of_module(function, torch);
        if (strstr(torch, "/torch/nn/parameter.py")) return certain(MT_PHASE_SETUP);
        if (strstr(torch, "/torch/utils/data/")) return certain(MT_PHASE_INPUT);
        bool autograd = strstr(torch, "/torch/autograd/") || strstr(torch, "/torch/_tensor.py");
        if (autograd && (strcmp(function, "backward") == 0 || strcmp(function, "grad") == 0))
            return certain(MT_PHASE_BACKWARD);
        return (struct mt_code_phase){0};
    }
    if (strcmp(function, "forward") == 0) return (struct mt_code_phase){.known = true, .phase = MT_PHASE_FORWARD};
    if (strcmp(function, "backward") == 0) return (struct mt_code_phase){.known = true, .phase = MT_PHASE_BACKWARD};
    return (struct mt_code_phase){0};
}
