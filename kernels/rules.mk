# The sample's CUDA kernels, their CPU reference, and the program that holds one against the other.

KERNEL_OBJECTS := $(patsubst %.cu,$(O)/%.cu.o,kernels/matmul.cu kernels/pointwise.cu kernels/loss.cu kernels/optimizer.cu)

ALL += $(O)/samples/check-kernels $(O)/simcuda/libsimcuda-kernels.so
TEST_PROGRAMS += $(O)/tests/unit/test_reference

$(O)/kernels/%.cu.o: NVCCFLAGS += -Xcompiler -Wall,-Wextra

# The simulated device runs the reference, so its loops are worth vectorising.
$(O)/kernels/reference.o: OPTIMISE := $(if $(DEBUG),-O0,-O3)

$(O)/samples/check-kernels: $(O)/kernels/check.cu.o $(KERNEL_OBJECTS) $(O)/kernels/reference.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(NVCC) --cudart shared -ccbin $(CXX) -o $@ $^

# What the simulated device runs in the kernels' place; it finds the table by its name.
$(O)/simcuda/libsimcuda-kernels.so: $(call objects,kernels/simulated.c kernels/reference.c)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(SANITIZE) $(LDFLAGS) -o $@ $^ -lm

$(O)/tests/unit/test_reference: $(call objects,tests/unit/test_reference.c kernels/reference.c)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ -lcmocka -lm
