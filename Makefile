# memtrace: build, test, install. `make help` lists the targets.
#
# Each folder describes its own outputs in a rules.mk; this file holds what they share.
#   O=dir    where outputs go (build, or build-<SAN>)     V=1      show commands
#   DEBUG=1  no optimisation                              SAN=...  address | undefined | thread
#   CUDA=dir the CUDA toolkit

# Debian's own packages spread the toolkit over /usr.
CUDA ?= $(firstword $(wildcard $(CUDA_HOME) $(CUDA_PATH) /usr/local/cuda) \
            $(if $(wildcard /usr/include/cuda.h),/usr,/usr/local/cuda))
SAN  ?=
O    ?= build$(addprefix -,$(SAN))
# One spelling, whoever calls: the dependency files name their targets by it.
override O := $(patsubst ./%,%,$(patsubst %/,%,$(subst $(CURDIR)/,,$(O))))

# The sources may lie below a folder with a space in its name, since all names here are relative; what is named may not.
no-spaces = $(if $(word 2,$($(1))),$(error $(1)=$($(1)): make cannot work with a space in it: name it by a link without))
$(foreach name,O CUDA $(if $(filter file,$(origin CUDA)),CUDA_HOME CUDA_PATH),$(call no-spaces,$(name)))

CC      ?= cc
CXX     ?= c++
STRIP   ?= strip
NVCC    ?= $(CUDA)/bin/nvcc
PREFIX  ?= /usr/local
DESTDIR ?=

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
OPTIMISE := $(if $(DEBUG),-O0,-O2)
SANITIZE := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer)
CFLAGS   ?= -g
# The compiler's own folder is not to be named again: C++ headers would no longer find the C ones behind them.
CUDA_INCLUDE := $(wildcard $(CUDA)/include $(CUDA)/extras/CUPTI/include)
CPPFLAGS += -I. $(addprefix -isystem ,$(filter-out /usr/include,$(CUDA_INCLUDE))) -D_GNU_SOURCE
CUDA_VERSION := $(shell awk '$$2 == "CUDA_VERSION" { print $$3 }' $(CUDA)/include/cuda.h 2>/dev/null)
CUDA_LIBRARIES := $(addprefix -L,$(wildcard $(CUDA)/lib64))
CUDA_STUBS := $(addprefix -L,$(wildcard $(CUDA)/lib64/stubs $(CUDA)/lib/*-linux-gnu/stubs))
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

# The simulated device and the programs for it are CUDA 13's. With an older toolkit there are neither.
SIMULATED := $(shell [ "$(CUDA_VERSION)" -ge 13000 ] 2>/dev/null && echo yes)
ifeq ($(SIMULATED),)
ALL := $(TRACER) $(PRELOAD) $(REPORT)
TEST_PROGRAMS := $(filter-out $(SIM_TESTS) %_static $(STAGED_TESTS) %/test_nvtx %/test_nvtx_chain %/test_newer_cuda,$(TEST_PROGRAMS))
endif

all: $(ALL) ## build everything

.PHONY: demo test check bench fuzz install uninstall format lint help clean deps
deps:
	@CUDA=$(CUDA) scripts/deps.sh build
.PHONY: deps-install
deps-install:
	@CUDA=$(CUDA) scripts/deps.sh install

demo: deps ## trace the training sample and print its report
	@$(MAKE) --no-print-directory all
	@O=$(O) scripts/demo.sh

# A sanitized library cannot be preloaded into a plain program, so SAN= runs the unit tests alone.
test check: deps ## run every test; the last line counts them
	@$(MAKE) --no-print-directory $(if $(SAN),run-units,run-all)

.PHONY: run-all run-units
run-all: all $(TEST_PROGRAMS)
	$(if $(SIMULATED),,@echo "CUDA $(CUDA_VERSION): unit tests alone; the simulated device takes CUDA 13.0 (13000) or later")
	@O=$(O) tests/run.sh units $(TEST_PROGRAMS) $(if $(SIMULATED),e2e)
run-units: $(TEST_PROGRAMS)
	@O=$(O) tests/run.sh units $(TEST_PROGRAMS)

.PHONY: gpu-bundle check-gpu
gpu-bundle: all ## gather in $(O)-gpu what to carry to a bare GPU machine
	@O=$(O) CUDA=$(CUDA) tests/gpu/bundle.sh

check-gpu: ## the end-to-end tests on this machine's GPU; builds nothing
	@O=$(O) CUDA=$(CUDA) tests/gpu/check.sh

.PHONY: check-loaded
check-loaded: ## the whole suite 20 times on a busy machine, to find tests that depend on the scheduler
	@O=$(O) tests/loaded.sh

bench: all ## cost of the tracer, in ns and bytes an event
	@O=$(O) tests/bench/run.sh

fuzz: all $(O)/fuzz_reader $(O)/fuzz_views ## feed damaged traces to the reader and to all views, each for FUZZ_SECONDS (30)
	@O=$(O) tests/fuzz/run.sh

install: deps-install ## build and install into DESTDIR and PREFIX (/usr/local)
	@$(MAKE) --no-print-directory $(PRELOAD) $(REPORT)
	install -D -m 755 -s --strip-program=$(STRIP) $(PRELOAD) '$(DESTDIR)$(PREFIX)/lib/libmemtrace.so'
	install -D -m 755 -s --strip-program=$(STRIP) $(REPORT) '$(DESTDIR)$(PREFIX)/bin/memtrace-report'
	@DESTDIR='$(DESTDIR)' scripts/installed.sh '$(PREFIX)/lib/libmemtrace.so'

uninstall: ## remove what install put there
	rm -f '$(DESTDIR)$(PREFIX)/lib/libmemtrace.so' '$(DESTDIR)$(PREFIX)/bin/memtrace-report'

format: ## rewrite the sources as .clang-format says
	@scripts/lint.sh format

lint: ## formatting, cppcheck, and a clang build with -Werror
	@scripts/lint.sh check

# Every C file, by whatever compiler CC names.
.PHONY: lint-objects
lint-objects: $(call objects,$(filter-out tests/fuzz/%,$(shell find tracer preload viewer kernels samples tests -name '*.c')))

clean: ## remove $(O)
	rm -rf $(O)

help: ## this list
	@sed -n 's/^\([a-z][a-z -]*\):.* ## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16
	@sed -n '/^#   O=dir/,/^$$/s/^# //p' Makefile

-include $(shell find $(O) -name '*.d' 2>/dev/null)
