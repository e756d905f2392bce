# The sample programs, against the shared CUDA runtime; train also against the static one, the real and the simulated.

SAMPLE_OBJECTS := $(patsubst %.cu,$(O)/%.cu.o,samples/tensor.cu samples/caching.cu) $(call objects,samples/ledger.c)
TRAIN_OBJECTS  := $(O)/samples/train.cu.o $(call objects,samples/options.c) $(SAMPLE_OBJECTS) $(KERNEL_OBJECTS)

ALL += $(O)/samples/train $(O)/samples/train-static $(O)/samples/train-simstatic $(O)/samples/tensors

# Each allocating call must keep a line of its own, so equal tails of a function are not to be merged into one.
$(O)/samples/%.cu.o: NVCCFLAGS += -Xcompiler -Wall,-Wextra,-fno-crossjumping,-fno-tree-tail-merge

$(O)/samples/train: $(TRAIN_OBJECTS)
	$(call say,LD,$@)
	$(Q)$(NVCC) --cudart shared -ccbin $(CXX) -o $@ $^ -ldl

$(O)/samples/train-static: $(TRAIN_OBJECTS)
	$(call say,LD,$@)
	$(Q)$(NVCC) --cudart static -ccbin $(CXX) -o $@ $^ -ldl

$(O)/samples/train-simstatic: $(TRAIN_OBJECTS) $(O)/simcuda/libcudart_static.a
	$(call say,LD,$@)
	$(Q)$(NVCC) --cudart none -ccbin $(CXX) -o $@ $^ -ldl -lpthread

$(O)/samples/tensors: $(O)/samples/tensors.cu.o $(SAMPLE_OBJECTS)
	$(call say,LD,$@)
	$(Q)$(NVCC) --cudart shared -ccbin $(CXX) -o $@ $^ -ldl
