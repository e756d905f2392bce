/*
 * Autograd nodes by name; see autograd.h. Nodes are classes named XxxBackwardN (generated from derivatives.yaml), some
 * XxxBackwards (written by hand), and AccumulateGrad, which adds up a parameter's gradient.
 */
#include "viewer/frameworks/autograd.h"

#include <ctype.h>
#include <string.h>

static bool is_node(const char *name) {
    if (strcmp(name, "AccumulateGrad") == 0) return true;
    const char *at = strstr(name, "Backward");
    if (!at) return false;
    at += strlen("Backward");
    if (*at == 's') at++;
    while (isdigit((unsigned char)*at)) at++;
    return *at == '\0';
}

bool mt_autograd_node(const char *function, char node[MT_AUTOGRAD_NODE_BYTES]) {
    if (strncmp(function, "torch::autograd::", 17) != 0) return false;
    for (const char *at = function + 17; *at;) {
        size_t length = strcspn(at, ":<(");
        if (at[length] == ':' && length && length < MT_AUTOGRAD_NODE_BYTES) {
            memcpy(node, at, length);
            node[length] = '\0';
            if (is_node(node)) return true;
        }
        if (at[length] != ':') return false;
        at += length + strspn(at + length, ":");
    }
    return false;
}
