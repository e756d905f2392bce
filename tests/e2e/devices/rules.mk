# The programs of tests/e2e/devices, which use several devices: those on the runtime are linked with the shared and the
# static one, those on the driver as in tests/e2e/coverage.
DEVICES         := tests/e2e/devices
DEVICES_BASE    := $(call objects,$(DEVICES)/runtime.c $(COVERAGE)/ledger.c)
DEVICES_PROGRAMS := $(addprefix $(O)/$(DEVICES)/,both both-static both-simstatic peers shared visible)
ALL += $(DEVICES_PROGRAMS)

$(O)/$(DEVICES)/%: $(O)/$(DEVICES)/%.o $(DEVICES_BASE)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(CUDART) -lpthread

$(O)/$(DEVICES)/both-static: $(O)/$(DEVICES)/both.o $(DEVICES_BASE)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(CUDA_LIBRARIES) -lcudart_static -lpthread -ldl -lrt

$(O)/$(DEVICES)/both-simstatic: $(O)/$(DEVICES)/both.o $(DEVICES_BASE) $(O)/simcuda/libcudart_static.a
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ -lpthread -ldl

$(O)/$(DEVICES)/peers: $(O)/$(DEVICES)/peers.o $(O)/$(COVERAGE)/driver.o $(DEVICES_BASE)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(CUDART) $(LIBCUDA)

$(O)/$(DEVICES)/shared: $(O)/$(DEVICES)/shared.o $(COVERAGE_BASE)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LIBCUDA)
