/*
 * The NVTX functions that we serve, listed once: nvtx/inject.c puts them into the tables of each library, and keeps
 * what another tool had put there; nvtx/callbacks.c implements them.
 */
#ifndef MEMTRACE_PRELOAD_NVTX_CALLBACKS_H
#define MEMTRACE_PRELOAD_NVTX_CALLBACKS_H

#include "preload/nvtx/text.h"

#define MT_NVTX_CORE(X)                                                                                                \
    X(MarkEx)                                                                                                          \
    X(MarkA)                                                                                                           \
    X(MarkW)                                                                                                           \
    X(RangeStartEx)                                                                                                    \
    X(RangeStartA)                                                                                                     \
    X(RangeStartW)                                                                                                     \
    X(RangeEnd)                                                                                                        \
    X(RangePushEx)                                                                                                     \
    X(RangePushA)                                                                                                      \
    X(RangePushW)                                                                                                      \
    X(RangePop)                                                                                                        \
    X(NameCategoryA)                                                                                                   \
    X(NameCategoryW)                                                                                                   \
    X(NameOsThreadA)                                                                                                   \
    X(NameOsThreadW)

#define MT_NVTX_CORE2(X)                                                                                               \
    X(DomainMarkEx)                                                                                                    \
    X(DomainRangeStartEx)                                                                                              \
    X(DomainRangeEnd)                                                                                                  \
    X(DomainRangePushEx)                                                                                               \
    X(DomainRangePop)                                                                                                  \
    X(DomainNameCategoryA)                                                                                             \
    X(DomainNameCategoryW)                                                                                             \
    X(DomainRegisterStringA)                                                                                           \
    X(DomainRegisterStringW)                                                                                           \
    X(DomainCreateA)                                                                                                   \
    X(DomainCreateW)                                                                                                   \
    X(DomainDestroy)                                                                                                   \
    X(DomainResourceCreate)                                                                                            \
    X(DomainResourceDestroy)

// The other tool's functions, NULL where there is none.
#define MT_NVTX_MEMBER(name) nvtx##name##_impl_fntype name;
struct mt_nvtx_functions {
    MT_NVTX_CORE(MT_NVTX_MEMBER)
    MT_NVTX_CORE2(MT_NVTX_MEMBER)
};
#undef MT_NVTX_MEMBER

extern const struct mt_nvtx_functions mt_nvtx_ours;
extern struct mt_nvtx_functions mt_nvtx_next; // written while NVTX initialises, before its library calls us

#endif
