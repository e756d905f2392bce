/*
 * What the application calls when it annotates: each function brings its arguments into one form, has nvtx/ranges.c
 * record it, and passes the call on where another tool is there too. That tool's answer then counts, and its handles
 * ride inside ours.
 */
#include "preload/nvtx/callbacks.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "preload/nvtx/ranges.h"

struct mt_nvtx_functions mt_nvtx_next;

// Calls the other tool's function, if there is one.
#define PASS_ON(name, ...)                                                                                             \
    do {                                                                                                               \
        if (mt_nvtx_next.name) mt_nvtx_next.name(__VA_ARGS__);                                                         \
    } while (0)
#define PASS_ON_OR(otherwise, name, ...) (mt_nvtx_next.name ? mt_nvtx_next.name(__VA_ARGS__) : (otherwise))

static struct mt_nvtx_domain *ours(nvtxDomainHandle_t domain) {
    return (struct mt_nvtx_domain *)domain;
}

static nvtxDomainHandle_t theirs(nvtxDomainHandle_t domain) {
    return domain ? ours(domain)->next : NULL;
}

static nvtxStringHandle_t their_string(nvtxStringHandle_t string) {
    return string ? ((const struct mt_nvtx_string *)string)->next : NULL;
}

// The attributes with the other tool's string handle; `copy` holds them if they must differ.
static const nvtxEventAttributes_t *their_event(const nvtxEventAttributes_t *event, nvtxEventAttributes_t *copy) {
    if (!event || event->size < sizeof *copy || event->messageType != NVTX_MESSAGE_TYPE_REGISTERED) return event;
    *copy = *event;
    copy->size = sizeof *copy;
    copy->message.registered = their_string(event->message.registered);
    return copy;
}

static nvtxResourceAttributes_t *their_resource(nvtxResourceAttributes_t *resource, nvtxResourceAttributes_t *copy) {
    if (!resource || resource->size < sizeof *copy || resource->messageType != NVTX_MESSAGE_TYPE_REGISTERED) {
        return resource;
    }
    *copy = *resource;
    copy->size = sizeof *copy;
    copy->message.registered = their_string(resource->message.registered);
    return copy;
}

static void NVTX_API on_DomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event) {
    char buffer[MT_NVTX_TEXT_BYTES];
    struct mt_nvtx_message message;
    nvtxEventAttributes_t copy;
    mt_nvtx_message_event(&message, event, buffer);
    mt_nvtx_mark(ours(domain), &message);
    if (domain) {
        PASS_ON(DomainMarkEx, theirs(domain), their_event(event, &copy));
    } else {
        PASS_ON(MarkEx, their_event(event, &copy));
    }
}

static void NVTX_API on_MarkEx(const nvtxEventAttributes_t *event) {
    on_DomainMarkEx(NULL, event);
}

static void NVTX_API on_MarkA(const char *text) {
    char buffer[MT_NVTX_TEXT_BYTES];
    struct mt_nvtx_message message;
    mt_nvtx_message_narrow(&message, text, buffer);
    mt_nvtx_mark(NULL, &message);
    PASS_ON(MarkA, text);
}

static void NVTX_API on_MarkW(const wchar_t *text) {
    char buffer[MT_NVTX_TEXT_BYTES];
    struct mt_nvtx_message message;
    mt_nvtx_message_wide(&message, text, buffer);
    mt_nvtx_mark(NULL, &message);
    PASS_ON(MarkW, text);
}

// The range's id is the other tool's where there is one: the application hands back only one.
static nvtxRangeId_t NVTX_API on_DomainRangeStartEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event) {
    char buffer[MT_NVTX_TEXT_BYTES];
    struct mt_nvtx_message message;
    nvtxEventAttributes_t copy;
    nvtxRangeId_t id = domain ? PASS_ON_OR(0, DomainRangeStartEx, theirs(domain), their_event(event, &copy))
                              : PASS_ON_OR(0, RangeStartEx, their_event(event, &copy));
    if (!id) id = mt_nvtx_new_range();
    mt_nvtx_message_event(&message, event, buffer);
    mt_nvtx_start(ours(domain), &message, id);
    return id;
}

static nvtxRangeId_t NVTX_API on_RangeStartEx(const nvtxEventAttributes_t *event) {
    return on_DomainRangeStartEx(NULL, event);
}

static nvtxRangeId_t NVTX_API on_RangeStartA(const char *text) {
    char buffer[MT_NVTX_TEXT_BYTES];
    struct mt_nvtx_message message;
    nvtxRangeId_t id = PASS_ON_OR(0, RangeStartA, text);
    if (!id) id = mt_nvtx_new_range();
    mt_nvtx_message_narrow(&message, text, buffer);
    mt_nvtx_start(NULL, &message, id);
    return id;
}

static nvtxRangeId_t NVTX_API on_RangeStartW(const wchar_t *text) {
    char buffer[MT_NVTX_TEXT_BYTES];
    struct mt_nvtx_message message;
    nvtxRangeId_t id = PASS_ON_OR(0, RangeStartW, text);
    if (!id) id = mt_nvtx_new_range();
    mt_nvtx_message_wide(&message, text, buffer);
    mt_nvtx_start(NULL, &message, id);
    return id;
}

static void NVTX_API on_RangeEnd(nvtxRangeId_t id) {
    mt_nvtx_end(id);
    PASS_ON(RangeEnd, id);
}

static void NVTX_API on_DomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
    mt_nvtx_end(id);
    if (domain) {
        PASS_ON(DomainRangeEnd, theirs(domain), id);
    } else {
        PASS_ON(RangeEnd, id);
    }
}

static int NVTX_API on_DomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event) {
    char buffer[MT_NVTX_TEXT_BYTES];
    struct mt_nvtx_message message;
    nvtxEventAttributes_t copy;
    mt_nvtx_message_event(&message, event, buffer);
    int level = mt_nvtx_push(ours(domain), &message);
    return domain ? PASS_ON_OR(level, DomainRangePushEx, theirs(domain), their_event(event, &copy))
                  : PASS_ON_OR(level, RangePushEx, their_event(event, &copy));
}

static int NVTX_API on_RangePushEx(const nvtxEventAttributes_t *event) {
    return on_DomainRangePushEx(NULL, event);
}

static int NVTX_API on_RangePushA(const char *text) {
    char buffer[MT_NVTX_TEXT_BYTES];
    struct mt_nvtx_message message;
    mt_nvtx_message_narrow(&message, text, buffer);
    int level = mt_nvtx_push(NULL, &message);
    return PASS_ON_OR(level, RangePushA, text);
}

static int NVTX_API on_RangePushW(const wchar_t *text) {
    char buffer[MT_NVTX_TEXT_BYTES];
    struct mt_nvtx_message message;
    mt_nvtx_message_wide(&message, text, buffer);
    int level = mt_nvtx_push(NULL, &message);
    return PASS_ON_OR(level, RangePushW, text);
}

static int NVTX_API on_RangePop(void) {
    int level = mt_nvtx_pop(NULL);
    return PASS_ON_OR(level, RangePop);
}

static int NVTX_API on_DomainRangePop(nvtxDomainHandle_t domain) {
    if (!domain) return on_RangePop();
    int level = mt_nvtx_pop(ours(domain));
    return PASS_ON_OR(level, DomainRangePop, theirs(domain));
}

static void NVTX_API on_DomainNameCategoryA(nvtxDomainHandle_t domain, uint32_t category, const char *name) {
    mt_nvtx_name_category(ours(domain), category, name ? name : "");
    PASS_ON(DomainNameCategoryA, theirs(domain), category, name);
}

static void NVTX_API on_DomainNameCategoryW(nvtxDomainHandle_t domain, uint32_t category, const wchar_t *name) {
    char text[MT_NVTX_TEXT_BYTES];
    mt_nvtx_narrow(name ? name : L"", text, sizeof text);
    mt_nvtx_name_category(ours(domain), category, text);
    PASS_ON(DomainNameCategoryW, theirs(domain), category, name);
}

static void NVTX_API on_NameCategoryA(uint32_t category, const char *name) {
    mt_nvtx_name_category(NULL, category, name ? name : "");
    PASS_ON(NameCategoryA, category, name);
}

static void NVTX_API on_NameCategoryW(uint32_t category, const wchar_t *name) {
    char text[MT_NVTX_TEXT_BYTES];
    mt_nvtx_narrow(name ? name : L"", text, sizeof text);
    mt_nvtx_name_category(NULL, category, text);
    PASS_ON(NameCategoryW, category, name);
}

static void NVTX_API on_NameOsThreadA(uint32_t tid, const char *name) {
    mt_nvtx_name_thread(tid, name ? name : "");
    PASS_ON(NameOsThreadA, tid, name);
}

static void NVTX_API on_NameOsThreadW(uint32_t tid, const wchar_t *name) {
    char text[MT_NVTX_TEXT_BYTES];
    mt_nvtx_narrow(name ? name : L"", text, sizeof text);
    mt_nvtx_name_thread(tid, text);
    PASS_ON(NameOsThreadW, tid, name);
}

static nvtxStringHandle_t NVTX_API on_DomainRegisterStringA(nvtxDomainHandle_t domain, const char *text) {
    struct mt_nvtx_string *string = mt_nvtx_string(ours(domain), text ? text : "");
    if (string) string->next = PASS_ON_OR(NULL, DomainRegisterStringA, theirs(domain), text);
    return (nvtxStringHandle_t)string;
}

static nvtxStringHandle_t NVTX_API on_DomainRegisterStringW(nvtxDomainHandle_t domain, const wchar_t *text) {
    char narrow[MT_NVTX_TEXT_BYTES];
    mt_nvtx_narrow(text ? text : L"", narrow, sizeof narrow);
    struct mt_nvtx_string *string = mt_nvtx_string(ours(domain), narrow);
    if (string) string->next = PASS_ON_OR(NULL, DomainRegisterStringW, theirs(domain), text);
    return (nvtxStringHandle_t)string;
}

static nvtxDomainHandle_t NVTX_API on_DomainCreateA(const char *name) {
    struct mt_nvtx_domain *domain = mt_nvtx_domain(name ? name : "");
    if (domain) domain->next = PASS_ON_OR(NULL, DomainCreateA, name);
    return (nvtxDomainHandle_t)domain;
}

static nvtxDomainHandle_t NVTX_API on_DomainCreateW(const wchar_t *name) {
    char narrow[MT_NVTX_TEXT_BYTES];
    mt_nvtx_narrow(name ? name : L"", narrow, sizeof narrow);
    struct mt_nvtx_domain *domain = mt_nvtx_domain(narrow);
    if (domain) domain->next = PASS_ON_OR(NULL, DomainCreateW, name);
    return (nvtxDomainHandle_t)domain;
}

// Ours stays: ranges that are open in it may still be closed, and most programs create it anew under the same name.
static void NVTX_API on_DomainDestroy(nvtxDomainHandle_t domain) {
    if (domain) PASS_ON(DomainDestroy, theirs(domain));
}

// Of resources, only threads have a name to remember.
static nvtxResourceHandle_t NVTX_API on_DomainResourceCreate(nvtxDomainHandle_t domain,
                                                             nvtxResourceAttributes_t *resource) {
    nvtxResourceAttributes_t copy;
    if (resource && resource->size >= sizeof *resource &&
        resource->identifierType == NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE) {
        char buffer[MT_NVTX_TEXT_BYTES];
        struct mt_nvtx_message message;
        mt_nvtx_message_typed(&message, resource->messageType, resource->message, buffer);
        mt_nvtx_name_thread((uint32_t)resource->identifier.ullValue, message.text);
    }
    return PASS_ON_OR(NULL, DomainResourceCreate, theirs(domain), their_resource(resource, &copy));
}

static void NVTX_API on_DomainResourceDestroy(nvtxResourceHandle_t resource) {
    PASS_ON(DomainResourceDestroy, resource);
}

#define OURS(name) .name = on_##name,
const struct mt_nvtx_functions mt_nvtx_ours = {MT_NVTX_CORE(OURS) MT_NVTX_CORE2(OURS)};
