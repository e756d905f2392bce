# The programs of tests/e2e/faults: each stands for a kind of fault that was seen once. FAULT.sh is the case; a program of
# one file is built by the rules below, anything else adds its own rule beside its name.
FAULTS         := tests/e2e/faults
# Preloaded beside ours, or loaded by a program, and no program.
FAULT_LIBRARIES := $(addprefix $(O)/$(FAULTS)/,interposer.so deepbound.so)
FAULT_PROGRAMS := $(filter-out $(FAULT_LIBRARIES:.so=), \
    $(patsubst %.c,$(O)/%,$(wildcard $(FAULTS)/*.c)) $(patsubst %.cpp,$(O)/%,$(wildcard $(FAULTS)/*.cpp)))
ALL += $(FAULT_PROGRAMS) $(FAULT_LIBRARIES)

$(O)/$(FAULTS)/%.o: $(FAULTS)/%.cpp
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(CPPFLAGS) -std=c++17 $(OPTIMISE) -Wall -Wextra -Wshadow -fPIC $(SANITIZE) $(CFLAGS) -MMD -MP -c -o $@ $<

$(FAULT_LIBRARIES): %.so: %.o
	$(call say,LD,$@)
	$(Q)$(CC) -shared $(SANITIZE) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIBCUDA) $(FAULT_LINKS) -ldl

$(addprefix $(O)/$(FAULTS)/,deepbound.so cupti-finalized unseen): FAULT_LINKS = -L$(CUDA)/lib64 -lcupti -Wl,-rpath,'$$ORIGIN'

$(O)/$(FAULTS)/%: $(O)/$(FAULTS)/%.o
	$(call say,LD,$@)
	$(Q)$(if $(wildcard $(FAULTS)/$*.cpp),$(CXX),$(CC)) $(SANITIZE) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIBCUDA) $(FAULT_LINKS) -lpthread -ldl

# Programs and libraries that own the driver's names. None is linked against libcuda.
NAMES          := $(FAULTS)/names
NAMES_BUILT    := $(addprefix $(O)/$(NAMES)/,functions pointers use_pointers use_pointers_fixed open_pointers limited \
                  libpointers.so limiter.so limiter_behind.so mortal.so)
ALL += $(NAMES_BUILT)

$(O)/$(NAMES)/functions: NAMES_FLAGS := -rdynamic
$(O)/$(NAMES)/functions: $(NAMES)/functions.c
$(O)/$(NAMES)/pointers: NAMES_FLAGS := -rdynamic -DLINKED
$(O)/$(NAMES)/pointers: $(NAMES)/use_pointers.c $(NAMES)/pointers.c
$(O)/$(NAMES)/use_pointers: NAMES_FLAGS := -fPIC -DLINKED -Wl,-rpath,'$$ORIGIN'
$(O)/$(NAMES)/use_pointers: $(NAMES)/use_pointers.c $(O)/$(NAMES)/libpointers.so
$(O)/$(NAMES)/use_pointers_fixed: NAMES_FLAGS := -fno-pic -no-pie -DLINKED -Wl,-rpath,'$$ORIGIN'
$(O)/$(NAMES)/use_pointers_fixed: $(NAMES)/use_pointers.c $(O)/$(NAMES)/libpointers.so
$(O)/$(NAMES)/open_pointers: $(NAMES)/use_pointers.c
$(O)/$(NAMES)/limited: $(NAMES)/limited.c
$(O)/$(NAMES)/limited: NAMES_LIBRARIES = $(CUDART)
$(O)/$(NAMES)/libpointers.so: NAMES_FLAGS := -shared -fPIC -Wl,-soname,libpointers.so
$(O)/$(NAMES)/libpointers.so: $(NAMES)/pointers.c
$(O)/$(NAMES)/limiter.so: NAMES_FLAGS := -shared -fPIC
$(O)/$(NAMES)/limiter.so: $(NAMES)/limiter.c
$(O)/$(NAMES)/limiter_behind.so: NAMES_FLAGS := -shared -fPIC -DBEHIND
$(O)/$(NAMES)/limiter_behind.so: $(NAMES)/limiter.c
$(O)/$(NAMES)/mortal.so: NAMES_FLAGS := -shared -fPIC
$(O)/$(NAMES)/mortal.so: $(NAMES)/mortal.c

$(NAMES_BUILT): $(wildcard $(NAMES)/*.h)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -std=gnu11 $(OPTIMISE) $(WARNINGS) $(SANITIZE) $(CFLAGS) $(NAMES_FLAGS) -o $@ \
	    $(filter %.c %.so,$^) $(NAMES_LIBRARIES) -ldl

# Of generated-stacks.sh, which builds its programs itself.
STACK_CHECK := $(O)/$(FAULTS)/generated-stacks/check
ALL += $(STACK_CHECK)

$(STACK_CHECK): $(STACK_CHECK).o $(O)/libtracer.a
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ -lpthread

# Two versions of one library.
RELOADED := $(addprefix $(O)/$(FAULTS)/plugin-versions/,version_1.so version_2.so)
ALL += $(RELOADED)

$(O)/$(FAULTS)/plugin-versions/version_%.so: $(FAULTS)/plugin-versions/plugin.c
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(LDFLAGS) -DVERSION=$* -shared -o $@ $< $(LIBCUDA)

# A pool, a plug-in that uses it while it is loaded, and a library that watches who enters the dynamic linker.
LOADER       := $(FAULTS)/loader
LOADER_BUILT := $(addprefix $(O)/$(LOADER)/,pool initialiser.so shim.so)
ALL += $(LOADER_BUILT)

$(O)/$(LOADER)/pool: LOADER_FLAGS := -rdynamic
$(O)/$(LOADER)/pool: LOADER_LIBRARIES = $(LIBCUDA) -lpthread
$(O)/$(LOADER)/pool: $(LOADER)/pool.c
$(O)/$(LOADER)/initialiser.so: LOADER_FLAGS := -shared -fPIC
$(O)/$(LOADER)/initialiser.so: $(LOADER)/initialiser.c
$(O)/$(LOADER)/shim.so: LOADER_FLAGS := -shared -fPIC
$(O)/$(LOADER)/shim.so: $(LOADER)/shim.c $(O)/preload/elf_object.o

$(LOADER_BUILT): $(LOADER)/shim.h
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -std=gnu11 $(OPTIMISE) $(WARNINGS) $(SANITIZE) $(CFLAGS) $(LOADER_FLAGS) -o $@ \
	    $(filter %.c %.o,$^) $(LOADER_LIBRARIES) -ldl

# Of the CUDA runtime, not of the driver alone.
$(O)/$(FAULTS)/late-free-runtime: LIBCUDA = $(CUDART)

# The old distance between what is read and what is written leaves a hole.
$(O)/$(FAULTS)/segment-holes: LDFLAGS += -Wl,-z,max-page-size=0x200000
