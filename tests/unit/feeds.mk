# Unit tests of the NVTX, Python and PyTorch feeds, against tests/fakes/ instead of a session.
FAKE_RECORDER := $(O)/tests/fakes/recorder.o
NVTX_OBJECTS := $(call objects,$(wildcard preload/nvtx_*.c) preload/real_dlsym.c)
FEED_TESTS := $(addprefix $(O)/tests/unit/,test_nvtx test_nvtx_chain)
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
