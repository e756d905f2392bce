# memtrace: build, test, install. `make help` lists the targets.
#
# Each folder describes its own outputs in a rules.mk; this file holds what they share.
#   O=dir    where outputs go (build, or build-<SAN>)     V=1      show commands
#   DEBUG=1  no optimisation                              SAN=...  address | undefined | thread
#   CUDA=dir the CUDA toolkit

CUDA ?= $(firstword $(wildcard $(CUDA_HOME) $(CUDA_PATH) /usr/local/cuda) /usr/local/cuda)
SAN  ?=
O    ?= build$(addprefix -,$(SAN))

CC      ?= cc
CXX     ?= c++
NVCC    ?= $(CUDA)/bin/nvcc
PREFIX  ?= /usr/local
DESTDIR ?=

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
OPTIMISE := $(if $(DEBUG),-O0,-O2)
SANITIZE := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer)
CFLAGS   ?= -g
CPPFLAGS += -I. -isystem $(CUDA)/include -D_GNU_SOURCE
ALL_CFLAGS = -std=gnu11 $(OPTIMISE) $(WARNINGS) -fPIC $(SANITIZE) $(CFLAGS)
LDFLAGS  ?=
# Code for Ampere and Hopper, and PTX for whatever comes after.
NVCC_ARCH  ?= -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=[sm_90,compute_90]
NVCCFLAGS  ?= -g -lineinfo
ALL_NVCCFLAGS = -std=c++17 $(OPTIMISE) $(NVCC_ARCH) -I. -ccbin $(CXX) $(NVCCFLAGS)

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-8s %s\n' '$(1)' '$(2)')

# A fragment adds what `make all` builds to ALL, and its tests' programs to TEST_PROGRAMS.
ALL :=
TEST_PROGRAMS :=

.PHONY: all
all:

.SUFFIXES:
.SECONDARY:
.DELETE_ON_ERROR:

$(O)/%.o: %.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(O)/%.cu.o: %.cu
	$(call say,NVCC,$<)
	@mkdir -p $(@D)
	$(Q)$(NVCC) $(ALL_NVCCFLAGS) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

# objects(sources): the object files of a list of .c files.
objects = $(patsubst %.c,$(O)/%.o,$(1))

include tracer/rules.mk
include preload/rules.mk
include viewer/rules.mk
include kernels/rules.mk
include samples/rules.mk
include tests/rules.mk

all: $(ALL)

-include $(shell find $(O) -name '*.d' 2>/dev/null)
