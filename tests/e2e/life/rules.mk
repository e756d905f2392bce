# The programs of tests/e2e/life; they share the ledger of tests/e2e/coverage.
LIFE          := tests/e2e/life
LIFE_PLUGINS  := $(addprefix $(O)/$(LIFE)/,plugin_a.so plugin_b.so)
LIFE_PROGRAMS := $(addprefix $(O)/$(LIFE)/,threads children ends statics plugins places storm)
LIFE_POOR     := $(O)/$(LIFE)/poor
ALL += $(LIFE_PROGRAMS) $(LIFE_PLUGINS) $(LIFE_POOR)

$(O)/$(LIFE)/%.so: $(O)/$(LIFE)/%.o
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -shared -o $@ $< $(LIBCUDA)

$(O)/$(LIFE)/statics.o: $(LIFE)/statics.cpp
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(CPPFLAGS) -std=c++17 $(OPTIMISE) -Wall -Wextra -Wshadow -fPIC $(SANITIZE) $(CFLAGS) -MMD -MP -c -o $@ $<

$(LIFE_POOR): $(LIFE_POOR).o $(O)/tests/unit/refuse.o
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^

$(O)/$(LIFE)/statics: $(O)/$(LIFE)/statics.o $(O)/$(COVERAGE)/ledger.o
	$(call say,LD,$@)
	$(Q)$(CXX) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LIBCUDA)

$(O)/$(LIFE)/%: $(O)/$(LIFE)/%.o $(COVERAGE_BASE)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LIBCUDA) -lpthread -ldl
