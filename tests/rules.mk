include tests/simcuda/rules.mk
include tests/unit/feeds.mk
include tests/e2e/coverage/rules.mk
include tests/e2e/life/rules.mk
include tests/e2e/devices/rules.mk
include tests/e2e/public/rules.mk
include tests/e2e/faults/rules.mk

# Programs that the end-to-end cases and the benchmark trace; each is one file, against the shared CUDA runtime.
E2E_PROGRAMS := $(patsubst tests/e2e/programs/%.c,$(O)/tests/e2e/programs/%,$(wildcard tests/e2e/programs/*.c)) \
                $(patsubst tests/e2e/programs/%.cpp,$(O)/tests/e2e/programs/%,$(wildcard tests/e2e/programs/*.cpp)) \
                $(O)/tests/e2e/programs/hidden
BENCH_PROGRAMS := $(O)/tests/bench/pair $(O)/tests/bench/libtensors.so
ALL += $(E2E_PROGRAMS) $(BENCH_PROGRAMS)

CUDART = $(CUDA_LIBRARIES) -lcudart

$(O)/tests/e2e/programs/%: $(O)/tests/e2e/programs/%.o
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $< $(CUDART) -lpthread -ldl

$(O)/tests/e2e/programs/%.o: tests/e2e/programs/%.cpp
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(CPPFLAGS) -std=c++17 $(OPTIMISE) -Wall -Wextra -Wshadow -fPIC $(SANITIZE) $(CFLAGS) -MMD -MP -c -o $@ $<

$(O)/tests/e2e/programs/exceptions: $(O)/tests/e2e/programs/exceptions.o
	$(call say,LD,$@)
	$(Q)$(CXX) $(SANITIZE) $(LDFLAGS) -o $@ $< $(CUDART) -ldl

$(O)/tests/bench/pair $(O)/tests/e2e/programs/hidden: %: %.cu.o
	$(call say,LD,$@)
	$(Q)$(NVCC) -cudart shared -ccbin $(CXX) -o $@ $< -ldl

$(O)/tests/bench/libtensors.so: tests/bench/tensors.cpp $(O)/tests/unit/test_torch.libs/libc10_cuda.so
	$(call say,CXX,$@)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(CPPFLAGS) -std=c++17 $(OPTIMISE) -Wall -Wextra -Wshadow -fPIC $(SANITIZE) $(CFLAGS) -shared \
	    -Wl,-rpath,'$$ORIGIN/../unit/test_torch.libs' -o $@ $< $(filter %.so,$^)

# The reader alone, instrumented; libFuzzer comes with clang.
$(O)/fuzz_reader: tests/fuzz/fuzz_reader.c $(wildcard tracer/*.c tracer/*.h)
	$(call say,FUZZ,$@)
	@mkdir -p $(@D)
	$(Q)clang $(CPPFLAGS) -std=gnu11 -O1 $(CFLAGS) -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
	    -o $@ $< $(wildcard tracer/*.c) -lpthread -ldl

# And the whole report.
$(O)/fuzz_views: tests/fuzz/fuzz_views.c tests/fuzz/damage.c $(filter-out viewer/main.c,$(wildcard viewer/*.c viewer/*/*.c)) \
    $(wildcard tracer/*.c tracer/*.h viewer/*.h viewer/*/*.h)
	$(call say,FUZZ,$@)
	@mkdir -p $(@D)
	$(Q)clang $(CPPFLAGS) -std=gnu11 -O1 $(CFLAGS) -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
	    -o $@ $(filter %.c,$^) $(VIEWER_LIBRARIES) -lpthread -ldl

# NVML for the simulated device, in a folder of its own: most cases are about machines that don't have it.
FAKE_NVML := $(O)/tests/fakes/nvml/libnvidia-ml.so.1
ALL += $(FAKE_NVML)

$(FAKE_NVML): $(O)/tests/fakes/nvml.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(SANITIZE) $(LDFLAGS) -Wl,-soname,$(@F) -o $@ $<

# Installed, as libraries of Python packages are.
FAKE_XLA := $(O)/tests/fakes/site-packages/xla_cuda_plugin.so
ALL += $(FAKE_XLA)

$(FAKE_XLA): $(O)/tests/fakes/xla_cuda_plugin.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(SANITIZE) $(LDFLAGS) -Wl,-soname,$(@F) -o $@ $< $(CUDA_STUBS) -lcuda -lpthread -ldl
