# The programs of tests/e2e/coverage, life and public: the ledger and its helpers, and one file a program, against the
# toolkit's stub of libcuda (at run time it is the driver's, or the simulated device's).
COVERAGE      := tests/e2e/coverage
COVERAGE_BASE := $(call objects,$(addprefix $(COVERAGE)/,ledger.c driver.c pair.c))
COVERAGE_PROGRAMS := $(addprefix $(O)/$(COVERAGE)/,linear host pools vmm arrays ipc external graphs captures multicast \
                       contexts launches errors legacy ptsz runtime runtime_ptsz runtime-static \
                       runtime-simstatic)
ALL += $(COVERAGE_PROGRAMS)

# Device code, as a program that loads its own carries it.
$(O)/$(COVERAGE)/device_code.fatbin: $(COVERAGE)/device_code.cu
	$(call say,NVCC,$@)
	@mkdir -p $(@D)
	$(Q)$(NVCC) -fatbin $(NVCC_ARCH) -ccbin $(CXX) -o $@ $<

$(O)/$(COVERAGE)/device_code.o: $(COVERAGE)/device_code.S $(O)/$(COVERAGE)/device_code.fatbin
	$(call say,AS,$<)
	$(Q)$(CC) -DDEVICE_CODE='"$(O)/$(COVERAGE)/device_code.fatbin"' -c -o $@ $<

$(O)/$(COVERAGE)/launches: $(O)/$(COVERAGE)/device_code.o

LIBCUDA := $(CUDA_STUBS) -lcuda

$(O)/$(COVERAGE)/%: $(O)/$(COVERAGE)/%.o $(COVERAGE_BASE)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LIBCUDA) -ldl

$(O)/$(COVERAGE)/runtime $(O)/$(COVERAGE)/runtime_ptsz: $(O)/$(COVERAGE)/%: $(O)/$(COVERAGE)/%.o $(O)/$(COVERAGE)/ledger.o
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(CUDART)

$(O)/$(COVERAGE)/runtime-static: $(O)/$(COVERAGE)/runtime.o $(O)/$(COVERAGE)/ledger.o
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(CUDA_LIBRARIES) -lcudart_static -lpthread -ldl -lrt

$(O)/$(COVERAGE)/runtime-simstatic: $(O)/$(COVERAGE)/runtime.o $(O)/$(COVERAGE)/ledger.o $(O)/simcuda/libcudart_static.a
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ -lpthread -ldl
