# The programs of tests/e2e/faults: each stands for a kind of fault that was seen once. FAULT.sh is the case; a program of
# one file is built by the rules below, anything else adds its own rule beside its name.
FAULTS         := tests/e2e/faults
FAULT_PROGRAMS := $(patsubst %.c,$(O)/%,$(wildcard $(FAULTS)/*.c)) $(patsubst %.cpp,$(O)/%,$(wildcard $(FAULTS)/*.cpp))
ALL += $(FAULT_PROGRAMS)

$(O)/$(FAULTS)/%.o: $(FAULTS)/%.cpp
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(CPPFLAGS) -std=c++17 $(OPTIMISE) -Wall -Wextra -Wshadow -fPIC $(SANITIZE) $(CFLAGS) -MMD -MP -c -o $@ $<

$(O)/$(FAULTS)/%: $(O)/$(FAULTS)/%.o
	$(call say,LD,$@)
	$(Q)$(if $(wildcard $(FAULTS)/$*.cpp),$(CXX),$(CC)) $(SANITIZE) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIBCUDA) -lpthread -ldl
