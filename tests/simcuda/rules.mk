# The simulated device: a folder that, on LD_LIBRARY_PATH, is one. Its libraries have the real ones' names and versions.

SIMCUDA := $(O)/simcuda
SIMCUDA_LIBRARIES := libcuda.so.1 libcudart.so.13 libcupti.so.13
SIMCUDA_LINKS := libcuda.so libcudart.so libcupti.so

SIM_DRIVER_OBJECTS  := $(call objects,$(wildcard tests/simcuda/driver/*.c))
SIM_RUNTIME_OBJECTS := $(call objects,$(wildcard tests/simcuda/runtime/*.c))
SIM_CUPTI_OBJECTS   := $(call objects,$(wildcard tests/simcuda/cupti/*.c))

ALL += $(addprefix $(SIMCUDA)/,$(SIMCUDA_LIBRARIES) $(SIMCUDA_LINKS) libcudart_static.a)

$(SIM_DRIVER_OBJECTS) $(SIM_RUNTIME_OBJECTS): CPPFLAGS += -D__CUDA_API_VERSION_INTERNAL
$(SIM_DRIVER_OBJECTS) $(SIM_RUNTIME_OBJECTS) $(SIM_CUPTI_OBJECTS): CFLAGS += -fvisibility=hidden

# simulated-library(file, objects, symbol version, exported names)
define simulated-library
$(SIMCUDA)/$(1): $(2) tests/simcuda/rules.mk
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	@printf '%s { global: %s local: *; };\n' '$(3)' '$(4)' > $$@.map
	$$(Q)$$(CC) -shared $$(SANITIZE) $$(LDFLAGS) -Wl,-Bsymbolic -Wl,-soname,$(1) -Wl,--version-script=$$@.map -o $$@ \
	    $$(filter %.o,$$^) -ldl -lpthread
	@rm -f $$@.map
endef

$(eval $(call simulated-library,libcuda.so.1,$(SIM_DRIVER_OBJECTS),,cu*; simcuda_bridge;))
$(eval $(call simulated-library,libcudart.so.13,$(SIM_RUNTIME_OBJECTS),libcudart.so.13,cuda*; __cuda*;))
$(eval $(call simulated-library,libcupti.so.13,$(SIM_CUPTI_OBJECTS),libcupti.so.13,cupti*;))

# For programs that are to carry their own copy of the runtime; without line numbers, as the real one comes.
$(SIMCUDA)/libcudart_static.a: $(SIM_RUNTIME_OBJECTS)
	$(call say,AR,$@)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^ && strip --strip-debug $@

$(addprefix $(SIMCUDA)/,$(SIMCUDA_LINKS)): $(SIMCUDA)/%: | $(addprefix $(SIMCUDA)/,$(SIMCUDA_LIBRARIES))
	$(Q)ln -sf $(filter $*.%,$(SIMCUDA_LIBRARIES)) $@

# Names for CUPTI's ids and results, out of CUDA's own headers.
SIM_CUPTI_NAMES := $(addprefix $(O)/tests/simcuda/cupti/,cupti_driver_names.h cupti_runtime_names.h cupti_result_names.h)
$(O)/tests/simcuda/cupti/names.o: $(SIM_CUPTI_NAMES)
$(O)/tests/simcuda/cupti/names.o: CPPFLAGS += -I$(O)/tests/simcuda/cupti
$(O)/tests/simcuda/cupti/cupti_%_names.h: $(CUDA)/include/cupti_%_cbid.h
	@mkdir -p $(@D)
	$(Q)sed -n 's/^ *CUPTI_[A-Z]*_TRACE_CBID_\(cu[A-Za-z0-9_]*\) *= *\([0-9]*\),.*/[\2] = "\1",/p' $< > $@
$(O)/tests/simcuda/cupti/cupti_result_names.h: $(CUDA)/include/cupti_result.h
	@mkdir -p $(@D)
	$(Q)sed -n 's/^ *\(CUPTI_[A-Z_0-9]*\) *= *[0-9]*,.*/{\1, "\1"},/p' $< > $@

# Its tests, which are linked to it as programs are to the real libraries.
SIM_TESTS := $(patsubst %.c,$(O)/%,$(wildcard tests/unit/test_simcuda_*.c))
# ThreadSanitizer leaves too few addresses for the tens of gigabytes that two of them ask for.
TEST_PROGRAMS += $(filter-out $(if $(filter thread,$(SAN)),%/test_simcuda_faults %/test_simcuda_memory),$(SIM_TESTS))

$(SIM_TESTS): $(O)/%: $(O)/%.o $(addprefix $(SIMCUDA)/,$(SIMCUDA_LIBRARIES) $(SIMCUDA_LINKS))
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $< $(SIM_TEST_EXTRA) -L$(SIMCUDA) -Wl,--no-as-needed -lcuda -lcudart -lcupti \
	    -Wl,-rpath,'$$ORIGIN/../../simcuda' -lcmocka -lpthread -ldl

$(O)/tests/unit/test_simcuda_launch: SIM_TEST_EXTRA := $(O)/tests/unit/simcuda_kernels.cu.o -lstdc++
$(O)/tests/unit/test_simcuda_launch: $(O)/tests/unit/simcuda_kernels.cu.o

# The same launches, with the runtime inside the program.
TEST_PROGRAMS += $(O)/tests/unit/test_simcuda_launch_static
$(O)/tests/unit/test_simcuda_launch_static: $(O)/tests/unit/test_simcuda_launch.o $(O)/tests/unit/simcuda_kernels.cu.o \
    $(SIMCUDA)/libcudart_static.a $(addprefix $(SIMCUDA)/,$(SIMCUDA_LIBRARIES) $(SIMCUDA_LINKS))
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) -L$(SIMCUDA) -Wl,--no-as-needed -lcuda -lcupti \
	    -Wl,-rpath,'$$ORIGIN/../../simcuda' -lcmocka -lstdc++ -lpthread -ldl
