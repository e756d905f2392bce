# memtrace-report: from traces to reports. What tests link is everything but main.
REPORT := $(O)/memtrace-report
VIEWER_OBJECTS := $(call objects,$(filter-out viewer/main.c,$(wildcard viewer/*.c viewer/*/*.c)))
# The demangler is in the C++ library's static form alone.
VIEWER_LIBRARIES := -ldw -l:libstdc++.a
ALL += $(REPORT)

$(REPORT): $(O)/viewer/main.o $(VIEWER_OBJECTS) $(TRACER)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(VIEWER_LIBRARIES) -lpthread -ldl

# One program a file; they write their traces through tracer/trace.h.
VIEWER_TESTS := $(addprefix $(O)/tests/unit/test_,units model lines ranges fold symbols sites composition summary marks \
    tensors hidden coverage errors shared pools cache kinds source callers hostile damaged_views)
TEST_PROGRAMS += $(VIEWER_TESTS)

$(VIEWER_TESTS): $(O)/%: $(O)/%.o $(O)/tests/unit/scripts.o $(O)/tests/unit/trace_files.o $(VIEWER_OBJECTS) $(TRACER)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(VIEWER_LIBRARIES) -lcmocka -lpthread -ldl

$(O)/tests/unit/test_damaged_views: $(O)/tests/fuzz/damage.o
$(O)/tests/unit/test_sites $(O)/tests/unit/test_callers: | $(O)/tests/unit/standin_runtime.so

$(O)/tests/unit/standin_runtime.so: $(O)/tests/unit/standin_runtime.o
	$(call say,LD,$@)
	$(Q)$(CC) -shared $(SANITIZE) $(LDFLAGS) -o $@ $<
