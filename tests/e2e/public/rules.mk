# The programs of tests/e2e/public, and the stand-ins for toolkit libraries that some of them run with where there is no
# GPU. They share the ledger of tests/e2e/coverage.
PUBLIC           := tests/e2e/public
PUBLIC_PROGRAMS  := $(addprefix $(O)/$(PUBLIC)/,cublas cufft plan fragments location lazy subscriber)
PUBLIC_STANDINS  := $(addprefix $(O)/$(PUBLIC)/stand-in/,libcublas.so.13 libcufft.so.12)
ALL += $(PUBLIC_PROGRAMS) $(PUBLIC_STANDINS)

$(O)/$(PUBLIC)/stand-in/libcublas.so.13: $(O)/$(PUBLIC)/standin_cublas.o
$(O)/$(PUBLIC)/stand-in/libcufft.so.12: $(O)/$(PUBLIC)/standin_cufft.o
$(PUBLIC_STANDINS): $(O)/simcuda/libcudart_static.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -shared -Wl,-soname,$(@F) -o $@ $(filter %.o,$^) $(O)/simcuda/libcudart_static.a \
	    -Wl,--exclude-libs,ALL -lpthread -ldl

# Linked against the stand-ins' names, which are the toolkit's: a machine without the toolkit's large libraries builds it.
$(O)/$(PUBLIC)/cublas: $(O)/$(PUBLIC)/cublas.o $(O)/$(COVERAGE)/ledger.o $(O)/$(PUBLIC)/stand-in/libcublas.so.13
$(O)/$(PUBLIC)/cufft: $(O)/$(PUBLIC)/cufft.o $(O)/$(COVERAGE)/ledger.o $(O)/$(PUBLIC)/stand-in/libcufft.so.12
$(O)/$(PUBLIC)/cublas $(O)/$(PUBLIC)/cufft $(O)/$(PUBLIC)/plan:
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(CUDART)

$(O)/$(PUBLIC)/plan: $(O)/$(PUBLIC)/plan.o $(O)/$(COVERAGE)/ledger.o

$(O)/$(PUBLIC)/subscriber: $(O)/$(PUBLIC)/subscriber.o $(COVERAGE_BASE)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LIBCUDA) $(CUDA_LIBRARIES) -lcupti -ldl

$(O)/$(PUBLIC)/%: $(O)/$(PUBLIC)/%.o $(COVERAGE_BASE)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LIBCUDA) -ldl
