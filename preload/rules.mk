# libmemtrace.so: what runs inside the traced program. It needs nothing but libc, and hides all that is not marked visible.
PRELOAD_SOURCES := $(wildcard preload/*.c preload/*/*.c)
PRELOAD := $(O)/libmemtrace.so
ALL += $(PRELOAD)

$(call objects,$(PRELOAD_SOURCES)): ALL_CFLAGS += -fvisibility=hidden -ftls-model=initial-exec

# Bound at load (-z now): no lazy binding inside somebody's hook. Never unloaded: the driver and CUPTI hold our addresses.
$(PRELOAD): $(call objects,$(PRELOAD_SOURCES)) $(O)/libtracer.a preload/exports.map
	$(call say,LD,$@)
	$(Q)$(CC) -shared $(SANITIZE) $(LDFLAGS) -Wl,-soname,libmemtrace.so -Wl,--version-script=preload/exports.map \
	    -Wl,-e,mt_about -Wl,-Bsymbolic -Wl,-z,now -Wl,-z,nodelete -Wl,-z,defs -Wl,--as-needed -o $@ \
	    $(call objects,$(PRELOAD_SOURCES)) $(O)/libtracer.a -lpthread -ldl

# One program a file; they link the parts they test, and no CUDA.
PRELOAD_UNIT_TESTS := $(addprefix $(O)/tests/unit/test_,entry_points newer_cuda walk elements options state contexts kernels hooks session)
# A sanitized library cannot be preloaded, as two of them do.
SANITIZED_OUT := $(if $(SAN),%/test_hooks %/test_session)
TEST_PROGRAMS += $(filter-out $(SANITIZED_OUT),$(PRELOAD_UNIT_TESTS))

$(O)/tests/unit/test_entry_points.o: CPPFLAGS += -DCUDA_INCLUDE='"$(CUDA)/include"'
$(O)/tests/unit/test_walk: $(patsubst %.c,$(O)/%.o,$(wildcard preload/unwind/*.c)) \
    $(call objects,preload/own_stack.c tracer/memory.c)
$(O)/tests/unit/test_elements: $(O)/preload/effects/elements.o
$(O)/tests/unit/test_options: $(call objects,preload/options.c preload/option_names.c preload/message.c)
$(O)/tests/unit/test_contexts: $(call objects,$(addprefix preload/effects/,context_map.c capture.c registry.c) tracer/memory.c)
$(O)/tests/unit/test_state: $(call objects,$(addprefix preload/effects/,views.c graph_memory.c pools.c pool_pages.c registry.c seen.c) \
    tracer/memory.c)
$(O)/tests/unit/test_kernels: $(call objects,preload/effects/kernels.c tracer/memory.c)
# These run themselves again with the library preloaded, beside stand-ins for what else a process may hold.
STAGED_TESTS := $(addprefix $(O)/tests/unit/,test_hooks test_session)
STAGE_LIBRARIES := $(addprefix $(O)/tests/unit/,wrap_dlsym.so newer_driver.so beside_driver.so libnvidia-ml.so.1)
$(STAGED_TESTS): $(O)/tests/unit/stage.o $(O)/libtracer.a \
    | $(PRELOAD) $(STAGE_LIBRARIES) $(addprefix $(O)/simcuda/,libcuda.so.1 libcupti.so.13)
$(O)/tests/unit/wrap_dlsym.so: $(O)/tests/unit/wrap_dlsym.o
$(O)/tests/unit/newer_driver.so: $(O)/tests/unit/newer_driver.o $(O)/simcuda/libcuda.so.1
$(O)/tests/unit/beside_driver.so: $(O)/tests/unit/beside_driver.o $(O)/simcuda/libcuda.so.1
$(O)/tests/unit/libnvidia-ml.so.1: $(O)/tests/unit/fake_nvml.o
$(STAGE_LIBRARIES):
	$(call say,LD,$@)
	$(Q)$(CC) -shared $(SANITIZE) $(LDFLAGS) -Wl,--no-as-needed -o $@ $^

$(PRELOAD_UNIT_TESTS): $(O)/%: $(O)/%.o
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ -lcmocka -lpthread -ldl
