# gannet: one Makefile for everything. `make help` lists what it can do.

PREFIX   ?= /usr/local
DESTDIR  ?=
CC       ?= gcc
SANITIZE ?=
# A sanitized build lives beside the plain one; programs are in $(BUILD)/bin.
BUILD    ?= build$(if $(SANITIZE),/$(SANITIZE))
VERSION  := 0.1.0

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

# --- what the machine has --------------------------------------------------------------------------------------------

# name : pkg-config module or header : Debian package
REQUIRED := zmq:libzmq:libzmq3-dev yaml:yaml-0.1:libyaml-dev sqlite:sqlite3:libsqlite3-dev gsl:gsl:libgsl-dev \
            openblas:openblas:libopenblas-serial-dev lapacke:lapacke.h:liblapacke-dev \
            hwloc:hwloc:libhwloc-dev jansson:jansson:libjansson-dev csv:csv.h:libcsv-dev cmocka:cmocka:libcmocka-dev
OPTIONAL := onednn:dnnl.h:libdnnl-dev slurm:slurm/slurm.h:libslurm-dev
# Of tests alone, program : Debian package: a Slurm of many nodes on this machine (tests/slurm/cluster).
TESTING  := slurmctld:slurmctld slurmd:slurmd sbatch:slurm-client munged:munge prove:perl

field     = $(word $(2),$(subst :, ,$(1)))
has       = $(shell $(if $(filter %.h,$(1)),$(CC) -E -include $(1) -x c /dev/null >/dev/null 2>&1,pkg-config --exists $(1) 2>/dev/null) && echo yes)
# Daemons are outside the PATH of ordinary users.
absent    = $(foreach p,$(1),$(if $(shell PATH=$$PATH:/usr/sbin command -v $(call field,$(p),1)),,$(call field,$(p),2)))
missing   = $(foreach p,$(1),$(if $(call has,$(call field,$(p),2)),,$(call field,$(p),3)))

# Building needs the libraries; cleaning and installing packages do not.
NEEDS_LIBRARIES := $(if $(filter-out clean help packages test-packages demo test format,$(or $(MAKECMDGOALS),all)),yes)
ifneq ($(NEEDS_LIBRARIES),)
MISSING := $(strip $(call missing,$(REQUIRED)) $(if $(shell command -v pkg-config),,pkg-config))
ifneq ($(MISSING),)
$(error Debian packages are missing: $(MISSING). Install them with `make packages`, or by hand: sudo apt-get install $(MISSING))
endif
# Version 3 of oneDNN has another C interface.
ONEDNN := $(shell echo DNNL_VERSION_MAJOR | $(CC) -E -P -include dnnl_version.h -x c - 2>/dev/null)
HAVE_ONEDNN := $(if $(filter 2,$(ONEDNN)),yes)
endif

# --- flags -----------------------------------------------------------------------------------------------------------

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wconversion
# (clang complains of loops that it can't vectorise under a sanitizer.)
SANITIZE_FLAGS := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all -DGANNET_SANITIZED -Wno-pass-failed)
CFLAGS   ?= -O2 -g
# Loops marked `omp simd` use vector registers; mathematics sets no errno, which would keep them from it.
ALL_CFLAGS := -std=c17 -D_GNU_SOURCE -I. -fPIC -fopenmp-simd -fno-math-errno $(WARNINGS) $(if $(SANITIZE),,-D_FORTIFY_SOURCE=2) -fstack-protector-strong \
              -DGANNET_VERSION='"$(VERSION)"' -DGANNET_PREFIX='"$(PREFIX)"' $(if $(HAVE_ONEDNN),-DHAVE_ONEDNN) \
              $(CFLAGS) $(SANITIZE_FLAGS)
ALL_LDFLAGS := $(LDFLAGS) $(SANITIZE_FLAGS)

LIBS_common    := -lzmq -ljansson -lpthread
LIBS_search    := -lgsl -lopenblas -ldl -lm
LIBS_scheduler := -lsqlite3 -lyaml
LIBS_worker    := -lhwloc -ldl -lm
LIBS_kernels   := $(if $(HAVE_ONEDNN),-ldnnl) -lcsv -lm

# --- rooms -----------------------------------------------------------------------------------------------------------

SEARCH_ROOMS := search search/history search/simple search/gp search/tree search/parzen search/auto search/stop search/pareto \
                search/explain
SCHEDULER_ROOMS := scheduler/core scheduler/spec scheduler/store scheduler/slurm scheduler/rundir scheduler/session scheduler/coordinator \
                   scheduler/supervisor
AGENT_ROOMS := worker worker/agent worker/hardware worker/program
CLI_ROOMS := cli cli/command cli/view cli/data cli/session cli/doctor cli/bench
ROOMS := common $(SEARCH_ROOMS) $(SCHEDULER_ROOMS) worker/data worker/kernels worker/trainer $(AGENT_ROOMS) $(CLI_ROOMS)
objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard $(addsuffix /*.c,$(1))))
library = $(BUILD)/lib/lib$(subst /,-,$(1)).a

# Every room is a library; a room's main.c is a program's.
MAINS := $(wildcard cli/main.c worker/main.c worker/trainer/main.c)
define room_rule
$(call library,$(1)): $(filter-out $(patsubst %.c,$(BUILD)/obj/%.o,$(MAINS)),$(call objects,$(1)))
endef
$(foreach room,$(ROOMS),$(eval $(call room_rule,$(room))))

GANNET_ROOMS  := $(CLI_ROOMS) $(SCHEDULER_ROOMS) $(SEARCH_ROOMS) worker/kernels worker/data common
WORKER_ROOMS  := $(AGENT_ROOMS) common
TRAINER_ROOMS := worker/trainer worker/kernels worker/data common
PROGRAMS := $(addprefix $(BUILD)/bin/,gannet gannet-worker gannet-trainer)
PLUGINS  := $(patsubst plugins/%.c,$(BUILD)/plugins/%.so,$(wildcard plugins/*.c))

# libslurm is in a module of its own: it is another library at every site.
HAVE_SLURM := $(if $(NEEDS_LIBRARIES),$(call has,slurm/slurm.h))
SLURM_MODULE := $(if $(HAVE_SLURM),$(BUILD)/slurm.so)

all: found $(PROGRAMS) $(PLUGINS) $(SLURM_MODULE) ## build the programs into build/bin

found:
	@echo "oneDNN: $(if $(HAVE_ONEDNN),found; the mlp and logreg kernels use it,$(or $(ONEDNN:%=version % found, version 2 needed),not found); the kernels run on plain loops - apt-get install libdnnl-dev)"
	@echo "hwloc:  found $$(pkg-config --modversion hwloc)"
	@echo "Slurm:  $(if $(HAVE_SLURM),libslurm found; gannet submit works through build/slurm.so,not found; needed only for gannet submit - apt-get install libslurm-dev)"
	@echo "CUDA:   $(if $(shell command -v nvcc),nvcc found; the GPU trainer is to come,not found; needed only for the GPU trainer, which is to come)"

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/lib/%.a:
	@mkdir -p $(@D)
	@rm -f $@
	ar rcs $@ $^

$(BUILD)/bin/gannet: $(BUILD)/obj/cli/main.o $(foreach r,$(GANNET_ROOMS),$(call library,$(r)))
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -rdynamic $< -Wl,--start-group $(filter %.a,$^) -Wl,--end-group -o $@ \
	  $(LIBS_scheduler) $(LIBS_search) -lcsv $(LIBS_common)

$(BUILD)/bin/gannet-worker: $(BUILD)/obj/worker/main.o $(foreach r,$(WORKER_ROOMS),$(call library,$(r)))
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ -o $@ $(LIBS_worker) $(LIBS_common)

$(BUILD)/bin/gannet-trainer: $(BUILD)/obj/worker/trainer/main.o $(foreach r,$(TRAINER_ROOMS),$(call library,$(r)))
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ -o $@ $(LIBS_kernels) -ljansson

# A plug-in sees the public header alone.
$(BUILD)/plugins/%.so: plugins/%.c search/strategy.h
	@mkdir -p $(@D)
	$(CC) -std=c17 $(WARNINGS) $(CFLAGS) $(SANITIZE_FLAGS) -fPIC -shared -Isearch $< -o $@ -lm

$(BUILD)/slurm.so: $(wildcard scheduler/slurm/module/*.[ch]) scheduler/slurm/interface.h
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -shared $(filter %.c,$^) -o $@ -lslurm

# --- tests -----------------------------------------------------------------------------------------------------------

# tests/ROOM/t_NAME.c is one program of claims; what tests share is in tests/*.c. tests/e2e/t*.sh run the real programs.
TEST_SOURCES := $(wildcard tests/*/t_*.c)
TESTS  := $(patsubst tests/%.c,$(BUILD)/tests/%,$(TEST_SOURCES))
TEST_SHARED := $(call library,tests)
$(TEST_SHARED): $(filter-out $(BUILD)/obj/tests/sim/t_%,$(call objects,tests tests/sim))
ALL_LIBRARIES := $(foreach r,$(filter-out cli,$(GANNET_ROOMS)) $(AGENT_ROOMS) worker/trainer worker/kernels common,$(call library,$(r)))
TOOLS  := $(patsubst tests/bench/%.c,$(BUILD)/bench/%,$(wildcard tests/bench/*.c))

$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(TEST_SHARED) $(call library,cli) $(ALL_LIBRARIES)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $< -Wl,--start-group $(filter %.a,$^) -Wl,--end-group -o $@ -lcmocka \
	  $(LIBS_scheduler) $(LIBS_search) $(LIBS_worker) $(LIBS_kernels) $(LIBS_common)

$(BUILD)/bench/%: $(BUILD)/obj/tests/bench/%.o $(TEST_SHARED) $(ALL_LIBRARIES)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $< -Wl,--start-group $(filter %.a,$^) -Wl,--end-group -o $@ \
	  $(LIBS_scheduler) $(LIBS_search) $(LIBS_worker) $(LIBS_kernels) $(LIBS_common)

# Plug-ins that tests load: broken ones, and one that repeats what it was told.
TEST_PLUGINS := $(patsubst tests/%.c,$(BUILD)/tests/%.so,$(wildcard tests/plugins/*.c))
$(BUILD)/tests/plugins/%.so: tests/plugins/%.c search/strategy.h
	@mkdir -p $(@D)
	$(CC) -std=c17 $(WARNINGS) $(CFLAGS) $(SANITIZE_FLAGS) -fPIC -shared -Isearch $< -o $@ -lm
$(filter $(BUILD)/tests/search/% $(BUILD)/tests/scheduler/%,$(TESTS)): | $(PLUGINS) $(TEST_PLUGINS)

# A Slurm for tests, and the same with an interface that is not ours. What they need of ours is in gannet, which loads them.
SLURM_FAKES := $(BUILD)/tests/slurm_fake.so $(BUILD)/tests/slurm_old.so
$(SLURM_FAKES): tests/slurm_fake/fake.c scheduler/slurm/interface.h scheduler/slurm/agent.h
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -shared $(if $(findstring old,$@),-DFAKE_INTERFACE=4711) $< -o $@
$(filter $(BUILD)/tests/scheduler/%,$(TESTS)): | $(SLURM_FAKES) $(BUILD)/bin/gannet

# A slow disk, preloaded into programs.
SLOW_DISK := $(BUILD)/tests/slow_disk.so
$(SLOW_DISK): tests/slow_disk/slow.c
	@mkdir -p $(@D)
	$(CC) -std=c17 -D_GNU_SOURCE $(WARNINGS) $(CFLAGS) -fPIC -shared $< -o $@

# tests/fuzz/run builds these with clang and libFuzzer.
$(BUILD)/fuzz/%: $(BUILD)/obj/tests/fuzz/%.o $(TEST_SHARED) $(ALL_LIBRARIES)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer $< -Wl,--start-group $(filter %.a,$^) -Wl,--end-group -o $@ -lcmocka \
	  $(LIBS_scheduler) $(LIBS_search) $(LIBS_worker) $(LIBS_kernels) $(LIBS_common)

tests: $(TESTS) $(TOOLS) $(TEST_PLUGINS) $(SLURM_FAKES) $(SLOW_DISK)

# For tests/rules and tests/fuzz/run: what sources are compiled with.
show-flags:
	$(info $(ALL_CFLAGS))@:

# The recipe of `test` runs make anew: the packages may have come only now.
test: packages test-packages ## build and run every test
	@$(MAKE) --no-print-directory run-tests

run-tests: all tests
	GANNET_BUILD=$(abspath $(BUILD)) SANITIZE=$(SANITIZE) tests/run

# --- packages, demo, install -----------------------------------------------------------------------------------------

# $(call install_packages,NAMES): with apt-get, as root or by sudo; otherwise it says what to type.
define install_packages
missing="$(strip $(1))"; \
[ -z "$$missing" ] && exit 0; \
command="apt-get install -y --no-install-recommends $$missing"; \
if ! command -v apt-get >/dev/null; then echo "Missing: $$missing (Debian's names). Install them with this system's packages."; exit 1; fi; \
if [ "$$(id -u)" = 0 ]; then sudo=; \
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then sudo="sudo -n"; \
elif command -v sudo >/dev/null && [ -t 0 ]; then sudo=sudo; \
else echo "Packages are missing and this user can't install them. As root: $$command"; exit 1; fi; \
echo "installing: $$missing"; \
$$sudo env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 sh -c "apt-get update -q && $$command" >$${TMPDIR:-/tmp}/gannet-packages.$$$$ 2>&1 \
  || { tail -5 $${TMPDIR:-/tmp}/gannet-packages.$$$$; echo "That failed. By hand, as root: $$command"; exit 1; }; \
rm -f $${TMPDIR:-/tmp}/gannet-packages.$$$$
endef

# What is optional may fail: the build says what it goes without.
packages: ## install the Debian packages that are missing
	@$(call install_packages,$(call missing,$(REQUIRED)) $(if $(shell command -v pkg-config),,pkg-config))
	@( $(call install_packages,$(call missing,$(OPTIONAL))) ) || echo "These are optional: going on without them."

# Nothing is lost but the tests on Slurm when that fails. The packages bring services, which the tests don't use: those that
# came only now are switched off again.
test-packages: packages ## install the Debian packages that the tests want, too
	@daemons="$(strip $(filter munge slurmctld slurmd,$(call absent,$(TESTING))))"; \
	( $(call install_packages,$(call absent,$(TESTING))) ) \
	  || { echo "The tests that need them will say so."; exit 0; }; \
	[ -n "$$daemons" ] && [ -d /run/systemd/system ] || exit 0; \
	off="systemctl disable --now $$daemons"; \
	if [ "$$(id -u)" = 0 ]; then $$off; else sudo -n $$off; fi >/dev/null 2>&1 \
	  || echo "Services came with these packages that the tests don't need. As root: $$off"

demo: packages ## build, then search the digits example
	@$(MAKE) --no-print-directory all
	@rm -rf $(BUILD)/demo
	$(BUILD)/bin/gannet run examples/digits.yaml --dir $(BUILD)/demo

install: all ## install under DESTDIR and PREFIX
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include/gannet $(DESTDIR)$(PREFIX)/lib/gannet/plugins \
	  $(DESTDIR)$(PREFIX)/share/gannet/examples/data $(DESTDIR)$(PREFIX)/share/gannet/plugins $(DESTDIR)$(PREFIX)/share/doc/gannet \
	  $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	install -m 755 $(PROGRAMS) $(DESTDIR)$(PREFIX)/bin
	install -m 644 search/strategy.h $(DESTDIR)$(PREFIX)/include/gannet/strategy.h
	install -m 755 $(PLUGINS) $(DESTDIR)$(PREFIX)/lib/gannet/plugins
	$(if $(SLURM_MODULE),install -m 755 $(SLURM_MODULE) $(DESTDIR)$(PREFIX)/lib/gannet)
	install -m 644 $(wildcard plugins/*.c plugins/*.md) $(DESTDIR)$(PREFIX)/share/gannet/plugins
	install -m 644 $(wildcard examples/*.yaml examples/*.md examples/*.modulefile) $(DESTDIR)$(PREFIX)/share/gannet/examples
	install -m 755 $(wildcard examples/*.sh) $(DESTDIR)$(PREFIX)/share/gannet/examples
	install -m 644 $(wildcard examples/data/*) $(DESTDIR)$(PREFIX)/share/gannet/examples/data
	$(BUILD)/bin/gannet schema > $(DESTDIR)$(PREFIX)/share/gannet/experiment.schema.json
	$(BUILD)/bin/gannet completion > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/gannet
	install -m 644 README.md LICENSE CHANGES.md $(wildcard docs/*.md) $(DESTDIR)$(PREFIX)/share/doc/gannet

format: ## lay out every source file
	clang-format -i $$(git ls-files '*.c' '*.h')

clean: ## remove what was built
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST))

.PHONY: all found tests show-flags test run-tests packages test-packages demo install format clean help
.PRECIOUS: $(BUILD)/obj/%.o

-include $(shell [ -d $(BUILD)/obj ] && find $(BUILD)/obj -name '*.d')
