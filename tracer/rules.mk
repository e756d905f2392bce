# libtracer.a: what records (into libmemtrace.so) and what reads (into memtrace-report). Nothing of it is exported.
TRACER := $(O)/libtracer.a
TRACER_OBJECTS := $(call objects,$(wildcard tracer/*.c))
ALL += $(TRACER)

$(TRACER_OBJECTS): ALL_CFLAGS += -fvisibility=hidden

$(TRACER): $(TRACER_OBJECTS)
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

# One program a file.
TRACER_TESTS := $(addprefix $(O)/tests/unit/test_,format codec writer definitions stacks modules threads life create \
	full cut room limits buffered poor_systems reader damage)
TEST_PROGRAMS += $(TRACER_TESTS)

$(TRACER_TESTS): $(O)/%: $(O)/%.o $(O)/tests/unit/trace_files.o $(O)/tests/unit/refuse.o $(TRACER)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ -lcmocka -lpthread -ldl

$(O)/tests/unit/test_modules: | $(O)/tests/unit/plugin.so

$(O)/tests/unit/plugin.so: $(O)/tests/unit/plugin.o
	$(call say,LD,$@)
	$(Q)$(CC) -shared $(SANITIZE) $(LDFLAGS) -o $@ $<

# `make bench` runs it.
TRACER_BENCH := $(O)/tests/bench/bench_tracer
ALL += $(TRACER_BENCH)

$(TRACER_BENCH): $(TRACER_BENCH).o $(TRACER)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ -lpthread
