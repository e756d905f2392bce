# Unit tests of the NVTX, Python and PyTorch feeds, against tests/fakes/ instead of a session.
FAKE_RECORDER := $(O)/tests/fakes/recorder.o
NVTX_OBJECTS := $(call objects,$(wildcard preload/nvtx/*.c) preload/real_dlsym.c preload/elf_object.c)
FEED_TESTS := $(addprefix $(O)/tests/unit/,test_nvtx test_nvtx_chain test_python_code test_python_walk test_torch)
TEST_PROGRAMS += $(FEED_TESTS)

$(O)/tests/unit/test_nvtx $(O)/tests/unit/test_nvtx_chain: $(NVTX_OBJECTS)

$(FEED_TESTS): $(O)/%: $(O)/%.o $(FAKE_RECORDER)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $(filter %.o,$^) -lcmocka -lpthread -ldl

$(O)/tests/unit/test_nvtx_chain: $(O)/tests/unit/test_nvtx_chain.libs/libnvtx_tool.so
$(O)/tests/unit/test_nvtx_chain.libs/libnvtx_tool.so: $(O)/tests/fakes/nvtx_tool.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(SANITIZE) $(LDFLAGS) -o $@ $<

# The Python feed: inside real interpreters, and against an imitation of what it reads.
PYTHON_OBJECTS := $(call objects,$(wildcard preload/python/*.c) preload/real_dlsym.c preload/elf_object.c tracer/memory.c)
PYTHON_PROBE := $(O)/tests/unit/libpython_probe.so
# A sanitized library cannot be loaded into a plain interpreter.
TEST_PROGRAMS += $(if $(SAN),,$(O)/tests/unit/test_python_frames)

$(O)/tests/unit/test_python_code $(O)/tests/unit/test_python_walk: $(PYTHON_OBJECTS)
$(O)/tests/unit/test_python_walk: $(O)/tests/fakes/cpython.o
$(O)/tests/unit/test_python_walk: LDFLAGS += -rdynamic

$(PYTHON_PROBE): $(O)/tests/fakes/python_probe.o $(FAKE_RECORDER) $(PYTHON_OBJECTS)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(SANITIZE) $(LDFLAGS) -o $@ $^ -lpthread -ldl

$(O)/tests/unit/embed_python: $(O)/tests/fakes/embed_python.o $(PYTHON_PROBE)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ -Wl,-rpath,'$$ORIGIN' -ldl

$(O)/tests/unit/test_python_frames: tests/unit/test_python_frames.sh $(PYTHON_PROBE) $(O)/tests/unit/embed_python
	@install -m 755 $< $@

# The PyTorch feed: the test exports it, as a preloaded library would, to libraries with torch's names.
TORCH_LIBRARIES := $(addprefix $(O)/tests/unit/test_torch.libs/lib,c10.so c10_cuda.so torch_cpu.so torch_python.so)

$(O)/tests/unit/test_torch: $(call objects,$(wildcard preload/torch/*.c) preload/real_dlsym.c preload/elf_object.c) $(TORCH_LIBRARIES)
# A sanitizer looks for what it wraps of C++ when the program starts, so that must be there from the start.
$(O)/tests/unit/test_torch: LDFLAGS += -rdynamic $(if $(SAN),-Xlinker --no-as-needed -lstdc++)

$(O)/tests/unit/test_torch.libs/libc10_cuda.so: $(O)/tests/unit/test_torch.libs/libc10.so
$(O)/tests/unit/test_torch.libs/libtorch_python.so: $(O)/tests/unit/test_torch.libs/libtorch_cpu.so
$(TORCH_LIBRARIES): $(O)/tests/unit/test_torch.libs/lib%.so: tests/fakes/%.cpp tests/fakes/c10.h tests/fakes/torch_autograd.h
	$(call say,CXX,$@)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(CPPFLAGS) -std=c++17 $(OPTIMISE) -Wall -Wextra -fPIC $(SANITIZE) $(CFLAGS) -shared \
	    -Wl,-soname,$(@F) -Wl,-rpath,'$$ORIGIN' -o $@ $< $(filter %.so,$^)
