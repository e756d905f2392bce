/*
 * Names in NVTX: messages in their three forms, registered strings, domains. Handles given out here live as long as the
 * process, exist before there is a trace, and know their id in the trace once there is one. Lock-free, so that a forked
 * child never meets a held lock. Used by the nvtx_*.c files.
 */
#ifndef MEMTRACE_PRELOAD_NVTX_TEXT_H
#define MEMTRACE_PRELOAD_NVTX_TEXT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#ifndef NVTX_NO_IMPL
#define NVTX_NO_IMPL
#endif
#include <nvtx3/nvToolsExt.h>

// Longer texts are cut.
#define MT_NVTX_TEXT_BYTES 1024

// A domain; its address is the application's handle. Index 0 is the default domain, whose handle is NULL.
struct mt_nvtx_domain {
    _Atomic(uint32_t) id; // in the trace's strings; 0: not defined yet
    uint32_t index;
    struct mt_nvtx_domain *older;
    nvtxDomainHandle_t next; // the same domain in a tool that we pass calls on to
    char name[];
};

// A registered string; its address is the application's handle.
struct mt_nvtx_string {
    struct mt_nvtx_string *sibling; // in its bucket
    _Atomic(uint32_t) id;
    nvtxStringHandle_t next;
    const struct mt_nvtx_domain *domain;
    int64_t sequence; // mt_nvtx_clean()
    char text[];
};

// A message, ready to be recorded: either text or, for a registered string, that.
struct mt_nvtx_message {
    const char *text; // "" without one
    struct mt_nvtx_string *string;
    int64_t sequence; // PyTorch's sequence number, or -1
    uint32_t category;
};

// Narrow and wide texts into `buffer`, cleaned; NULL is "".
void mt_nvtx_message_narrow(struct mt_nvtx_message *message, const char *text, char buffer[MT_NVTX_TEXT_BYTES]);
void mt_nvtx_message_wide(struct mt_nvtx_message *message, const wchar_t *text, char buffer[MT_NVTX_TEXT_BYTES]);
void mt_nvtx_message_typed(struct mt_nvtx_message *message, int32_t type, nvtxMessageValue_t value,
                           char buffer[MT_NVTX_TEXT_BYTES]);
// NULL attributes, and ones too short to hold a message, are an empty one.
void mt_nvtx_message_event(struct mt_nvtx_message *message, const nvtxEventAttributes_t *event,
                           char buffer[MT_NVTX_TEXT_BYTES]);

// Copies `text` without the numbers that PyTorch's emit_nvtx() puts into every range (", seq = 7", ", op_id = 9",
// ", input_op_ids = [...]"), which would make each range a text of its own; returns the sequence number, or -1.
int64_t mt_nvtx_clean(const char *text, char *out, size_t out_bytes);

// The text as UTF-8, cut at a character where it does not fit.
void mt_nvtx_narrow(const wchar_t *text, char *out, size_t out_bytes);

// The domain of that name, made when it is new. NULL when there is no memory for it, or too many: then it is the
// default one.
struct mt_nvtx_domain *mt_nvtx_domain(const char *name);

// A registered string of that domain; equal ones are one. NULL when there is no memory.
struct mt_nvtx_string *mt_nvtx_string(const struct mt_nvtx_domain *domain, const char *text);

#endif
