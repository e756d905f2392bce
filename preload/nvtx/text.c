/*
 * See nvtx/text.h.
 */
#include "preload/nvtx/text.h"

#include <stdlib.h>
#include <string.h>

#include "preload/utf8.h"

enum { STRING_BUCKETS = 1024 };

static _Atomic(struct mt_nvtx_domain *) domains; // the newest
static _Atomic(struct mt_nvtx_string *) strings[STRING_BUCKETS];

void mt_nvtx_narrow(const wchar_t *text, char *out, size_t out_bytes) {
    size_t used = 0;
    for (; *text; text++) {
        char encoded[4];
        size_t bytes = mt_utf8_encode((uint32_t)*text, encoded);
        if (used + bytes >= out_bytes) break;
        memcpy(out + used, encoded, bytes);
        used += bytes;
    }
    out[used] = '\0';
}

// If `text` starts with `key`, the position behind it and its number; else NULL.
static const char *skip_number(const char *text, const char *key, int64_t *number) {
    size_t length = strlen(key);
    if (strncmp(text, key, length) != 0) return NULL;
    char *end;
    *number = strtoll(text + length, &end, 10);
    return end;
}

int64_t mt_nvtx_clean(const char *text, char *out, size_t out_bytes) {
    int64_t sequence = -1, operation;
    size_t used = 0;
    while (*text && used + 1 < out_bytes) {
        if (*text == ',') {
            const char *end = skip_number(text, ", seq = ", &sequence);
            if (!end) end = skip_number(text, ", op_id = ", &operation);
            if (end) {
                text = end;
                continue;
            }
            if (strncmp(text, ", input_op_ids = ", 17) == 0) break;
        }
        out[used++] = *text++;
    }
    // Do not end in half a character.
    if (*text) {
        while (used > 0 && ((unsigned char)out[used - 1] & 0xc0) == 0x80) used--;
        if (used > 0 && ((unsigned char)out[used - 1] & 0x80)) used--;
    }
    out[used] = '\0';
    return sequence;
}

void mt_nvtx_message_narrow(struct mt_nvtx_message *message, const char *text, char buffer[MT_NVTX_TEXT_BYTES]) {
    *message = (struct mt_nvtx_message){.text = "", .sequence = -1};
    if (!text) return;
    message->sequence = mt_nvtx_clean(text, buffer, MT_NVTX_TEXT_BYTES);
    message->text = buffer;
}

void mt_nvtx_message_wide(struct mt_nvtx_message *message, const wchar_t *text, char buffer[MT_NVTX_TEXT_BYTES]) {
    *message = (struct mt_nvtx_message){.text = "", .sequence = -1};
    if (!text) return;
    mt_nvtx_narrow(text, buffer, MT_NVTX_TEXT_BYTES);
    message->text = buffer;
}

void mt_nvtx_message_typed(struct mt_nvtx_message *message, int32_t type, nvtxMessageValue_t value,
                           char buffer[MT_NVTX_TEXT_BYTES]) {
    if (type == NVTX_MESSAGE_TYPE_UNICODE) {
        mt_nvtx_message_wide(message, value.unicode, buffer);
    } else if (type == NVTX_MESSAGE_TYPE_REGISTERED && value.registered) {
        struct mt_nvtx_string *string = (struct mt_nvtx_string *)value.registered;
        *message = (struct mt_nvtx_message){.text = string->text, .string = string, .sequence = string->sequence};
    } else {
        mt_nvtx_message_narrow(message, type == NVTX_MESSAGE_TYPE_ASCII ? value.ascii : NULL, buffer);
    }
}

void mt_nvtx_message_event(struct mt_nvtx_message *message, const nvtxEventAttributes_t *event,
                           char buffer[MT_NVTX_TEXT_BYTES]) {
    // The size is the caller's version of the structure; all versions so far agree up to the message.
    if (!event || event->size < offsetof(nvtxEventAttributes_t, message) + sizeof event->message) {
        mt_nvtx_message_narrow(message, NULL, buffer);
        return;
    }
    mt_nvtx_message_typed(message, event->messageType, event->message, buffer);
    message->category = event->category;
}

struct mt_nvtx_domain *mt_nvtx_domain(const char *name) {
    struct mt_nvtx_domain *newest = atomic_load_explicit(&domains, memory_order_acquire), *made = NULL;
    size_t bytes = strlen(name) + 1;
    do { // another thread may have added one meanwhile, perhaps this one
        for (struct mt_nvtx_domain *domain = newest; domain; domain = domain->older) {
            if (strcmp(domain->name, name) != 0) continue;
            free(made);
            return domain;
        }
        if (!made) made = malloc(sizeof *made + bytes);
        if (!made) return NULL;
        *made = (struct mt_nvtx_domain){.index = newest ? newest->index + 1 : 1, .older = newest};
        memcpy(made->name, name, bytes);
    } while (!atomic_compare_exchange_strong(&domains, &newest, made));
    return made;
}

static uint32_t hash_text(const char *text) {
    uint32_t hash = 2166136261u;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

struct mt_nvtx_string *mt_nvtx_string(const struct mt_nvtx_domain *domain, const char *text) {
    char clean[MT_NVTX_TEXT_BYTES];
    int64_t sequence = mt_nvtx_clean(text, clean, sizeof clean);
    _Atomic(struct mt_nvtx_string *) *bucket = &strings[hash_text(clean) % STRING_BUCKETS];
    struct mt_nvtx_string *first = atomic_load_explicit(bucket, memory_order_acquire);
    for (struct mt_nvtx_string *string = first; string; string = string->sibling) {
        if (string->domain == domain && string->sequence == sequence && strcmp(string->text, clean) == 0) return string;
    }
    size_t bytes = strlen(clean) + 1;
    struct mt_nvtx_string *made = malloc(sizeof *made + bytes);
    if (!made) return NULL;
    *made = (struct mt_nvtx_string){.sibling = first, .domain = domain, .sequence = sequence};
    memcpy(made->text, clean, bytes);
    // Two threads may add the same string: both handles then work.
    while (!atomic_compare_exchange_weak(bucket, &made->sibling, made)) {
    }
    return made;
}
