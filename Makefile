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
# What `test` and `demo` build they build with all cores, unless make was told how many (-j).
ALL_CORES  = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc 2>/dev/null || echo 1))

# Called from another directory (make -f ../gannet/Makefile), make goes on in the source tree and builds into that directory.
SOURCE := $(patsubst %/,%,$(dir $(realpath $(lastword $(MAKEFILE_LIST)))))
ifneq ($(realpath $(CURDIR)),$(SOURCE))
GOALS := $(or $(MAKECMDGOALS),all)
$(GOALS): in-source ;
in-source:
	@$(MAKE) --no-print-directory -C $(SOURCE) BUILD=$(abspath $(BUILD)) $(if $(DESTDIR),DESTDIR=$(abspath $(DESTDIR))) $(GOALS)
.PHONY: $(GOALS) in-source
else

# --- what the machine has --------------------------------------------------------------------------------------------

# name : pkg-config module or header : Debian package
REQUIRED := libc:stdio.h:libc6-dev \
            zmq:libzmq:libzmq3-dev sodium:libsodium:libsodium-dev yaml:yaml-0.1:libyaml-dev sqlite:sqlite3:libsqlite3-dev gsl:gsl:libgsl-dev \
            openblas:openblas:libopenblas-serial-dev lapacke:lapacke.h:liblapacke-dev \
            hwloc:hwloc:libhwloc-dev jansson:jansson:libjansson-dev csv:csv.h:libcsv-dev cmocka:cmocka:libcmocka-dev \
            ncurses:ncursesw:libncurses-dev
OPTIONAL := onednn:dnnl.h:libdnnl-dev slurm:slurm/slurm.h:libslurm-dev zlib:zlib.h:zlib1g-dev minizip:minizip/unzip.h:libminizip-dev \
            hdf5:hdf5.h:libhdf5-dev
# program : Debian package
COMPILING := $(firstword $(CC)):$(notdir $(firstword $(CC))) ar:binutils pkg-config:pkg-config
# Of tests alone: a Slurm of many nodes on this machine (tests/slurm/cluster), and readers of what gannet writes.
TESTING  := slurmctld:slurmctld slurmd:slurmd sbatch:slurm-client munged:munge prove:perl sqlite3:sqlite3 man:man-db zsh:zsh fish:fish \
            tclsh:tcl python3:python3 tmux:tmux rsvg-convert:librsvg2-bin

field     = $(word $(2),$(subst :, ,$(1)))
# Headers are looked for where pkg-config says that the libraries have theirs.
MODULES  := $(filter-out %.h,$(foreach p,$(REQUIRED),$(call field,$(p),2)))
PKG_FLAGS = $(shell pkg-config --cflags $(MODULES) 2>/dev/null)
# Debian has libhdf5 with and without MPI side by side; without is wanted.
HDF5     := $(firstword $(foreach p,hdf5-serial hdf5,$(shell pkg-config --exists $(p) 2>/dev/null && echo $(p))))
HDF5_FLAGS = $(if $(HDF5),$(shell pkg-config --cflags $(HDF5)))
HDF5_LIBS  = $(if $(HDF5),$(shell pkg-config --libs $(HDF5)),-lhdf5)
has       = $(shell $(if $(filter %.h,$(1)),$(CC) $(PKG_FLAGS) $(HDF5_FLAGS) -E -include $(1) -x c /dev/null >/dev/null 2>&1,pkg-config --exists $(1) 2>/dev/null) && echo yes)
# Daemons are outside the PATH of ordinary users.
absent    = $(foreach p,$(1),$(if $(shell PATH=$$PATH:/usr/sbin command -v $(call field,$(p),1)),,$(call field,$(p),2)))
missing   = $(foreach p,$(1),$(if $(call has,$(call field,$(p),2)),,$(call field,$(p),3)))
needed    = $(call absent,$(COMPILING)) $(call missing,$(REQUIRED))

# Building needs the libraries; cleaning and installing packages do not.
NEEDS_LIBRARIES := $(if $(filter-out clean help packages test-packages demo test format uninstall,$(or $(MAKECMDGOALS),all)),yes)
ifneq ($(NEEDS_LIBRARIES),)
MISSING := $(strip $(needed))
ifneq ($(MISSING),)
$(error Debian packages are missing: $(MISSING). Install them with `make packages`, or by hand: sudo apt-get install $(MISSING))
endif
PKG_FLAGS := $(PKG_FLAGS)
# oneDNN's C interface is another for each major version: onednn_VERSION.c.
ONEDNN := $(shell echo DNNL_VERSION_MAJOR | $(CC) -E -P -include dnnl_version.h -x c - 2>/dev/null)
HAVE_ONEDNN := $(filter 2 3,$(ONEDNN))
# Formats of data; WITHOUT="zlib minizip hdf5" builds as if they were not there.
HAVE_ZLIB    := $(if $(filter zlib,$(WITHOUT)),,$(call has,zlib.h))
HAVE_MINIZIP := $(if $(filter minizip,$(WITHOUT)),,$(call has,minizip/unzip.h))
endif

# --- CUDA ------------------------------------------------------------------------------------------------------------

# nvcc of CUDA_HOME, of PATH or of the usual place; WITHOUT=cuda builds as if there were none. Its machine code is for these
# architectures, and for later ones what the driver translates at start. CUDA 12 still knows 70: make CUDA_ARCH="70 80 90".
CUDA_ARCH ?= 80 90
NVCC      := $(if $(filter cuda,$(WITHOUT)),,$(firstword $(wildcard $(if $(CUDA_HOME),$(CUDA_HOME)/bin/nvcc)) \
             $(if $(CUDA_HOME),,$(shell command -v nvcc 2>/dev/null) $(wildcard /usr/local/cuda/bin/nvcc))))
CUDA_ROOT := $(patsubst %/bin/nvcc,%,$(if $(NVCC),$(realpath $(NVCC))))
# Where the headers and libraries of a toolkit are: below it, or where Debian's packages have them.
HAVE_CUDA := $(if $(NVCC),$(firstword $(wildcard $(CUDA_ROOT)/include/cublasLt.h /usr/include/cublasLt.h)))
HAVE_CUDNN := $(if $(filter cudnn,$(WITHOUT)),,$(if $(HAVE_CUDA),$(firstword $(wildcard $(CUDA_ROOT)/include/cudnn.h /usr/include/cudnn.h))))
CUDA_LIBS := $(firstword $(wildcard $(CUDA_ROOT)/lib64 $(CUDA_ROOT)/lib))

# --- flags -----------------------------------------------------------------------------------------------------------

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wconversion
# (clang complains of loops that it can't vectorise under a sanitizer.)
SANITIZE_FLAGS := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all -DGANNET_SANITIZED -Wno-pass-failed)
CFLAGS   ?= -O2 -g
# What makes a memory error hard to use: checked buffer and string functions, guarded stacks, branches that land only where they may,
# stack variables that start as zero. Each flag is taken where compiler, C library and processor have it. Sanitizers and
# valgrind see more without them: `make HARDENING=no`.
HARDENING ?= $(if $(SANITIZE),no,yes)
accepts = $(shell $(CC) -O2 -Werror $(1) -include stdio.h -x c -c -o /dev/null /dev/null 2>/dev/null && echo '$(1)')
# Integer constants are enumerators here; clang's -Wconversion has come to warn where one of them meets a floating-point number.
WARNINGS += $(patsubst -W%,-Wno-%,$(call accepts,-Wenum-float-conversion))
# clang before 16 wants a second flag for the zeros.
ZEROED := -ftrivial-auto-var-init=zero
ifeq ($(HARDENING),yes)
HARDENING_FLAGS := -fstack-protector-strong $(call accepts,-fstack-clash-protection) \
  $(or $(call accepts,-fcf-protection=full),$(call accepts,-mbranch-protection=standard)) \
  $(or $(call accepts,$(ZEROED)),$(call accepts,$(ZEROED) -enable-trivial-auto-var-init-zero-knowing-it-will-be-removed-from-clang)) \
  $(or $(call accepts,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif
# Addresses of functions in libraries are found at start and then read-only.
HARDENED_LINK := -Wl,-z,relro -Wl,-z,now
# Debug information names files from the root of the source tree, so that every directory builds the same bytes.
PLUGIN_FLAGS := -std=c17 -fPIC -ffile-prefix-map=$(SOURCE)=. $(WARNINGS) $(HARDENING_FLAGS) $(CFLAGS) $(SANITIZE_FLAGS)
# Loops marked `omp simd` use vector registers; mathematics sets no errno, which would keep them from it.
ALL_CFLAGS := -D_GNU_SOURCE -I. $(PKG_FLAGS) -fopenmp-simd -fno-math-errno -DGANNET_VERSION='"$(VERSION)"' -DGANNET_PREFIX='"$(PREFIX)"' \
              $(HAVE_ONEDNN:%=-DHAVE_ONEDNN=%) $(PLUGIN_FLAGS)
# Threads within a kernel are OpenMP's, as oneDNN's are: GCC's library, which that has loaded. Built by clang, whose library would be a
# second one in the same process, and under sanitizers, which don't know it, such loops run in one thread.
OPENMP := $(if $(SANITIZE),,$(shell $(CC) --version 2>/dev/null | grep -qi clang || echo -fopenmp))
ALL_LDFLAGS := $(shell pkg-config --libs-only-L $(MODULES) 2>/dev/null) $(HARDENED_LINK) $(LDFLAGS) $(SANITIZE_FLAGS)
# In the order of how many names each has found at start: a name is looked for in one after the other, and OpenBLAS has 15,000 to find.
LIBS := -lopenblas -lzmq -lsqlite3 -lsodium -ljansson -lyaml -lgsl -lhwloc -lcsv -lncursesw -ltinfo $(if $(HAVE_ONEDNN),-ldnnl) $(if $(HAVE_MINIZIP),-lminizip) $(if $(HAVE_ZLIB),-lz) $(if $(OPENMP),-lgomp) -ldl -lm -lpthread

# Recipes show a line each, their commands with V=1, nothing with -s: $(call say,WHAT,FILE)COMMAND.
SILENT := $(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS))))
say     = $(if $(V),,@$(if $(SILENT),,printf '  %-5s %s\n' '$(1)' '$(2)'; ))

# --- sources ---------------------------------------------------------------------------------------------------------

# Every directory below these is a library.
PRODUCT  := common search scheduler worker cli
PROGRAMS := gannet:cli/main.c gannet-worker:worker/main.c gannet-trainer:worker/trainer/main.c gannet-reaper:scheduler/reaper/main.c
# libslurm is in a module of its own: it is another library at every site.
MODULE   := $(sort $(shell find $(PRODUCT) -path '*/slurm/module/*.c'))
# So is libhdf5: it brings a dozen libraries that nobody else needs.
HDF5_SOURCES := $(sort $(wildcard worker/data/hdf5/*.c))
# Preloaded into people's programs.
LINES    := worker/preload/lines.c
# Loaded into them by NVIDIA's driver; tests have its parts as a library, too.
CUPTI    := $(sort $(wildcard worker/cupti/*.c))
MAINS    := $(foreach p,$(PROGRAMS),$(call field,$(p),2))
# Without oneDNN none of its files, with it those of its version.
CUDA_SOURCES := $(sort $(shell find worker/backend/cuda -name '*.cu'))
CUDA_LIST    := worker/backend/cuda/list.c
UNUSED   := $(CUDA_LIST) $(if $(HAVE_ONEDNN),$(filter-out %_$(HAVE_ONEDNN).c,$(shell find $(PRODUCT) -name 'onednn_[23].c')),\
                                $(shell find $(PRODUCT) -name 'onednn*.c'))
SOURCES  := $(filter-out $(MODULE) $(HDF5_SOURCES) $(LINES) $(MAINS) $(UNUSED),$(sort $(shell find $(PRODUCT) -name '*.c')))
# t_NAME.c is one program of claims; what they share is in libraries, too. tests/e2e/t*.sh run the real programs.
TEST_SOURCES := $(sort $(shell find tests -name 't_*.c' -not -path 'tests/cuda/*'))
TEST_SHARED  := $(filter-out $(TEST_SOURCES) tests/bench/% tests/fuzz/% tests/plugins/% tests/slurm_fake/% tests/preload/% tests/wire/% tests/cupti/% tests/nvml/% tests/cuda/%,$(sort $(shell find tests -name '*.c')))
PLUGIN_SOURCES := $(sort $(wildcard plugins/*.c tests/plugins/*.c))
BENCH_SOURCES  := $(sort $(wildcard tests/bench/*.c))

objects     = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
directories = $(patsubst %/,%,$(sort $(dir $(1))))
library     = $(BUILD)/lib/lib$(subst /,-,$(1)).a
LIBRARIES      := $(foreach d,$(call directories,$(SOURCES)),$(call library,$(d)))
TEST_LIBRARIES := $(foreach d,$(call directories,$(TEST_SHARED)),$(call library,$(d)))
BINARIES := $(foreach p,$(PROGRAMS),$(BUILD)/bin/$(call field,$(p),1))
PLUGINS  := $(patsubst %.c,$(BUILD)/%.so,$(filter plugins/%,$(PLUGIN_SOURCES)))

# --- programs --------------------------------------------------------------------------------------------------------

HAVE_SLURM   := $(if $(NEEDS_LIBRARIES),$(call has,slurm/slurm.h))
SLURM_MODULE := $(if $(HAVE_SLURM),$(BUILD)/slurm.so)
CUDA_TRAINER := $(if $(NEEDS_LIBRARIES),$(if $(HAVE_CUDA),$(if $(SANITIZE),,$(BUILD)/bin/gannet-trainer-cuda)))
HAVE_HDF5    := $(if $(NEEDS_LIBRARIES),$(if $(filter hdf5,$(WITHOUT)),,$(call has,hdf5.h)))
HDF5_MODULE  := $(if $(HAVE_HDF5),$(BUILD)/hdf5.so)

# Where programs look for them, as in an installation.
CLIENTS := $(patsubst %,$(BUILD)/share/gannet/%,$(wildcard clients/*/*.py clients/*/*.[chR] clients/*/*.jl))
$(CLIENTS): $(BUILD)/share/gannet/%: %
	$(call say,COPY,$@)install -D -m 644 $< $@

all: found $(BINARIES) $(CUDA_TRAINER) $(PLUGINS) $(SLURM_MODULE) $(HDF5_MODULE) $(BUILD)/lines.so $(BUILD)/cupti.so $(CLIENTS) ## build the programs into build/bin; V=1 shows the commands

found:
	@echo "oneDNN: $(if $(HAVE_ONEDNN),version $(ONEDNN) found; the kernels that train use it,$(or $(ONEDNN:%=version % found$(comma) 2 or 3 needed),not found); the kernels run on plain loops - apt-get install libdnnl-dev)"
	@echo "data:   $(if $(HAVE_ZLIB),zlib found,zlib not found; compressed IDX files are not read - apt-get install zlib1g-dev); $(if $(HAVE_MINIZIP),minizip found,minizip not found; NPZ archives are not read - apt-get install libminizip-dev); $(if $(HAVE_HDF5),libhdf5 found,libhdf5 not found; HDF5 files are not read - apt-get install libhdf5-dev)"
	@echo "hwloc:  found $$(pkg-config --modversion hwloc)"
	@echo "Slurm:  $(if $(HAVE_SLURM),libslurm found$(comma) for gannet submit,not found; needed only for gannet submit - apt-get install libslurm-dev)"
	@echo "CUDA:   $(if $(HAVE_CUDA),$(NVCC) found; gannet-trainer-cuda is built for $(addprefix sm_,$(CUDA_ARCH)) and later$(comma) $(if $(HAVE_CUDNN),with,without) cuDNN,$(if $(NVCC),nvcc found$(comma) but no cublasLt.h beside it,nvcc not found); kernels train on processors alone - CUDA_HOME=DIRECTORY names a CUDA toolkit)"
comma := ,

$(BUILD)/obj/worker/boost/%.o $(BUILD)/obj/worker/backend/%.o: ALL_CFLAGS += $(OPENMP)
# The assembler reads them, which no dependency file says.
$(BUILD)/obj/cli/report/report.o: cli/report/style.css cli/report/script.js
# clang finds no vector form for the largest of a row, and says so.
$(BUILD)/obj/worker/backend/onednn_rows.o: ALL_CFLAGS += $(if $(OPENMP),,-Wno-pass-failed)
FORMATS := $(if $(HAVE_ZLIB),-DHAVE_ZLIB) $(if $(HAVE_MINIZIP),-DHAVE_MINIZIP) $(if $(HAVE_HDF5),-DHAVE_HDF5)
$(BUILD)/obj/worker/data/%.o $(BUILD)/obj/tests/kernels/t_formats.o: ALL_CFLAGS += $(FORMATS)
$(BUILD)/obj/tests/kernels/t_hdf5.o $(BUILD)/obj/tests/kernels/t_hdf5_damage.o: ALL_CFLAGS += $(FORMATS) $(HDF5_FLAGS)
# Sums stay in registers, and a product is added in one instruction. Vectors are passed within a file alone, so that how is no matter.
$(BUILD)/obj/worker/lanes/%.o: ALL_CFLAGS += -O3 -ffp-contract=fast -Wno-psabi
$(BUILD)/obj/worker/backend/onednn_turn.o: ALL_CFLAGS += -O3 # unrolls what goes through registers
$(BUILD)/obj/worker/backend/onednn_sparse.o: ALL_CFLAGS += -O3 -ffp-contract=fast -Wno-psabi

# With other flags they are other objects.
$(BUILD)/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

define library_rule
$(call library,$(1)): $(call objects,$(foreach s,$(SOURCES) $(TEST_SHARED),$(if $(filter $(1)/,$(dir $(s))),$(s))))
endef
$(foreach d,$(call directories,$(SOURCES) $(TEST_SHARED)),$(eval $(call library_rule,$(d))))

# D: without dates and owners.
$(BUILD)/lib/%.a:
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR,$@)ar rcsD $@ $^

# $(call link,FLAGS): a program of the objects and what it needs of the libraries, ours and foreign ones.
define link
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) -pie $(ALL_LDFLAGS) $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group -o $@ \
	  -Wl,--as-needed $(1) $(LIBS)
endef

# Plug-ins find gannet's functions in the program that loads them.
define program_rule
$(BUILD)/bin/$(call field,$(1),1): $(call objects,$(call field,$(1),2)) $(LIBRARIES)
	$$(call link,$(if $(filter gannet:%,$(1)),-rdynamic))
endef
$(foreach p,$(PROGRAMS),$(eval $(call program_rule,$(p))))

# A plug-in sees the public header alone.
$(patsubst %.c,$(BUILD)/%.so,$(PLUGIN_SOURCES)): $(BUILD)/%.so: %.c search/strategy.h
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) -Isearch $(PLUGIN_FLAGS) $(HARDENED_LINK) -shared $< -o $@ -lm

# A libslurm that the module does not fit keeps nobody from the rest.
$(BUILD)/slurm.so: $(MODULE) $(shell find $(PRODUCT) -path '*/slurm/*.h')
	@mkdir -p $(@D)
	$(call say,LINK,$@)if $(CC) $(ALL_CFLAGS) $(HARDENED_LINK) -shared $(MODULE) -o $@ -lslurm 2>$(BUILD)/slurm.log; then cat $(BUILD)/slurm.log >&2; else \
	  rm -f $@; echo "Slurm:  the module does not compile against this libslurm, so gannet submit is left out:" \
	  "$$(grep -m 1 -i error $(BUILD)/slurm.log) (all of it: $(BUILD)/slurm.log)"; fi

# Nor does such a libhdf5.
$(BUILD)/hdf5.so: $(HDF5_SOURCES) $(wildcard worker/data/hdf5/*.h) Makefile
	@mkdir -p $(@D)
	$(call say,LINK,$@)if $(CC) $(ALL_CFLAGS) $(HDF5_FLAGS) $(HARDENED_LINK) -shared $(HDF5_SOURCES) -o $@ $(HDF5_LIBS) -lm 2>$(BUILD)/hdf5.log; then \
	  cat $(BUILD)/hdf5.log >&2; else rm -f $@; echo "HDF5:   the module does not compile against this libhdf5, so such files are not read:" \
	  "$$(grep -m 1 -i error $(BUILD)/hdf5.log) (all of it: $(BUILD)/hdf5.log)"; fi

# The trainer with a backend more, whose list of backends takes the place of the library's. Where nvcc can't compile it, or a library
# is not there, the rest is built without it.
CUDA_OBJECTS := $(patsubst %.cu,$(BUILD)/obj/%.cu.o,$(CUDA_SOURCES))
CUDA_FLAGS   := -std=c++17 -O2 -D_GNU_SOURCE -I. -DCUDA_LEAST_ARCH=$(firstword $(CUDA_ARCH)) $(if $(HAVE_CUDNN),-DHAVE_CUDNN) \
                $(foreach a,$(CUDA_ARCH),-gencode arch=compute_$(a),code=sm_$(a)) \
                -gencode arch=compute_$(lastword $(CUDA_ARCH)),code=compute_$(lastword $(CUDA_ARCH)) \
                -Xcompiler -fPIE,-Wall,-Wextra,-Wshadow,-Wconversion,-ffile-prefix-map=$(SOURCE)=.
$(BUILD)/obj/%.cu.o: %.cu Makefile
	@mkdir -p $(@D)
	$(call say,NVCC,$<)if $(NVCC) $(CUDA_FLAGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@ 2>$@.log; then cat $@.log >&2; else \
	  rm -f $@; echo "CUDA:   $< does not compile: $$(grep -m 1 -i error $@.log) (all of it: $@.log)"; fi

$(BUILD)/bin/gannet-trainer-cuda: $(CUDA_OBJECTS) $(call objects,worker/trainer/main.c $(CUDA_LIST)) $(LIBRARIES)
	@mkdir -p $(@D)
	$(call say,LINK,$@)if ! ls $(CUDA_OBJECTS) >/dev/null 2>&1; then echo "CUDA:   gannet-trainer-cuda is left out"; \
	elif $(CC) -pie $(ALL_LDFLAGS) $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group -o $@ -Wl,--as-needed $(LIBS) \
	  $(if $(CUDA_LIBS),-L$(CUDA_LIBS) -Wl$(comma)-rpath$(comma)$(CUDA_LIBS)) -lcublasLt $(if $(HAVE_CUDNN),-lcudnn) -lcudart -lstdc++ 2>$(BUILD)/cuda.log; \
	then cat $(BUILD)/cuda.log >&2; else rm -f $@; echo "CUDA:   gannet-trainer-cuda is left out, since its libraries do not link:" \
	  "$$(grep -m 1 -v '^$$' $(BUILD)/cuda.log) (all of it: $(BUILD)/cuda.log)"; fi

# What tests/bench/gpu runs where a GPU is: tests and a bench of kernels with the same backend. `make gpu` builds it.
GPU_TESTS    := t_backend t_operation_gradients t_layers t_lengths t_loss_scale t_precision t_transformer t_train t_optimizer
GPU_PROGRAMS := $(addprefix $(BUILD)/gpu/,$(GPU_TESTS) t_fusion kernel_steps)
$(GPU_PROGRAMS): $(CUDA_OBJECTS) $(call objects,$(CUDA_LIST)) $(TEST_LIBRARIES) $(LIBRARIES)
	$(call link,-lcmocka $(if $(CUDA_LIBS),-L$(CUDA_LIBS) -Wl$(comma)-rpath$(comma)$(CUDA_LIBS)) -lcublasLt $(if $(HAVE_CUDNN),-lcudnn) -lcudart -lstdc++)
$(foreach t,$(GPU_TESTS),$(eval $(BUILD)/gpu/$(t): $(BUILD)/obj/tests/kernels/$(t).o))
$(BUILD)/gpu/t_fusion: $(BUILD)/obj/tests/cuda/t_fusion.o
$(BUILD)/gpu/kernel_steps: $(BUILD)/obj/tests/bench/kernel_steps.o
gpu: all $(GPU_PROGRAMS) $(BUILD)/bench/dataset_export ## build what tests/bench/gpu runs on a machine with a GPU

# A guest in any program: it needs no library, and no start of the C library's. Each part that is mapped by itself costs every
# start of a program some microseconds, so there are two: what runs, and what is written to.
$(BUILD)/lines.so: $(LINES) Makefile
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) -std=c17 -D_GNU_SOURCE -fPIC -ffile-prefix-map=$(SOURCE)=. $(WARNINGS) $(HARDENING_FLAGS) -U_FORTIFY_SOURCE \
	  -fno-stack-protector -fno-asynchronous-unwind-tables $(CFLAGS) $(HARDENED_LINK) -Wl,-z,noseparate-code \
	  -Wl,--hash-style=gnu -nostdlib -shared $< -o $@

# A guest, too, of programs that use CUDA: it needs the C library alone, and shows the one name that the driver calls.
$(BUILD)/cupti.so: $(CUPTI) $(wildcard worker/cupti/*.h) Makefile
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) -std=c17 -D_GNU_SOURCE -I. -fPIC -fvisibility=hidden -ffile-prefix-map=$(SOURCE)=. $(WARNINGS) $(HARDENING_FLAGS) $(CFLAGS) \
	  $(HARDENED_LINK) -Wl,-z,nodelete -Wl,--hash-style=gnu -shared $(CUPTI) -o $@ -Wl,--as-needed -ldl -lpthread

# --- tests -----------------------------------------------------------------------------------------------------------

TESTS := $(patsubst tests/%.c,$(BUILD)/tests/%,$(TEST_SOURCES))
TOOLS := $(patsubst tests/bench/%.c,$(BUILD)/bench/%,$(BENCH_SOURCES))

$(TESTS): $(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(TEST_LIBRARIES) $(LIBRARIES)
	$(call link,-lcmocka $(TEST_LIBS))
# They make the files that they read.
HDF5_TESTS := $(BUILD)/tests/kernels/t_hdf5 $(BUILD)/tests/kernels/t_hdf5_damage
$(HDF5_TESTS): TEST_LIBS := $(if $(HAVE_HDF5),$(HDF5_LIBS))
$(HDF5_TESTS): | $(HDF5_MODULE)

# Fuzz targets with a driver of our own, for some seconds each.
FUZZ_TESTS := $(patsubst tests/fuzz/fuzz_%.c,$(BUILD)/tests/fuzz/t_fuzz_%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
$(FUZZ_TESTS): $(BUILD)/tests/fuzz/t_fuzz_%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(BUILD)/obj/tests/fuzz/driver.o $(TEST_LIBRARIES) $(LIBRARIES)
	$(call link,-lcmocka)

# It leaves out what measures, to tell what that costs.
$(BUILD)/bench/overhead: ALL_LDFLAGS += -Wl,--wrap=clock_monotonic,--wrap=phase_add
$(TOOLS): $(BUILD)/bench/%: $(BUILD)/obj/tests/bench/%.o $(TEST_LIBRARIES) $(LIBRARIES)
	$(call link,-lcmocka)

# Plug-ins that tests load: broken ones, and one that repeats what it was told.
TEST_PLUGINS := $(patsubst tests/%.c,$(BUILD)/tests/%.so,$(filter tests/%,$(PLUGIN_SOURCES)))

# A Slurm for tests, and the same with an interface that is not ours. What they need of ours is in gannet, which loads them.
SLURM_FAKES := $(BUILD)/tests/slurm_fake.so $(BUILD)/tests/slurm_old.so
$(SLURM_FAKES): tests/slurm_fake/fake.c $(shell find $(PRODUCT) -path '*/slurm/*.h')
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(ALL_CFLAGS) -shared $(if $(findstring old,$@),-DFAKE_INTERFACE=4711) $< -o $@
$(TESTS): | $(PLUGINS) $(TEST_PLUGINS) $(SLURM_FAKES) $(BUILD)/bin/gannet

# What is preloaded into programs: a slow disk, deaths at drawn moments.
PRELOADS := $(patsubst tests/preload/%.c,$(BUILD)/tests/%.so,$(sort $(wildcard tests/preload/*.c)))
$(PRELOADS): $(BUILD)/tests/%.so: tests/preload/%.c tests/preload/point.h
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) -std=c17 -D_GNU_SOURCE -I. $(WARNINGS) $(CFLAGS) -fPIC -shared $< -o $@ -ldl

# NVIDIA's NVML, whose GPUs a file describes; scripts put its directory into LD_LIBRARY_PATH.
FAKE_NVML := $(BUILD)/tests/nvml/libnvidia-ml.so.1
$(FAKE_NVML): tests/nvml/fake_nvml.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) -std=c17 -D_GNU_SOURCE $(WARNINGS) $(CFLAGS) -fPIC -shared $< -o $@ -lpthread

# The backend of GPUs on a CUDA that is pretended (tests/cuda/fake_cuda.h): its .cu files as code of the host. What they read and write is
# seen by the calls that -fsanitize=thread makes, which are those of tests/cuda/access.cc; so that sanitizer itself can't have them.
ifeq ($(origin CXX),default)
CXX := $(if $(findstring clang,$(CC)),clang++,g++)
endif
PRETEND_CUDA := $(if $(filter thread,$(SANITIZE)),,$(if $(NEEDS_LIBRARIES),$(shell command -v $(firstword $(CXX)) 2>/dev/null)))
PRETENDED    := $(patsubst %,$(BUILD)/pretend/%.o,$(CUDA_SOURCES) $(sort $(wildcard tests/cuda/*.cc)))
CUDA_TESTS   := $(if $(PRETEND_CUDA),$(patsubst tests/%.c,$(BUILD)/tests/%,$(sort $(wildcard tests/cuda/t_*.c))))
PRETEND_WARNINGS := -Wall -Wextra -Wshadow -Wno-unused-function
READS_BEFORE := -mllvm -tsan-instrument-read-before-write # clang leaves out what it takes for twice the same
SEEN         := -O1 -fsanitize=thread $(if $(PRETEND_CUDA),$(shell $(CXX) -Werror $(READS_BEFORE) -x c++ -c -o /dev/null /dev/null 2>/dev/null && echo '$(READS_BEFORE)'))
$(BUILD)/pretend/%.cu.o: %.cu Makefile
	@mkdir -p $(@D)
	$(call say,CXX,$<)$(CXX) -x c++ -std=c++17 -g -D_GNU_SOURCE -Itests/cuda/include -I. -DHAVE_CUDNN -DCUDA_LEAST_ARCH=80 -fPIC $(PRETEND_WARNINGS) \
	  $(if $(filter undefined,$(SANITIZE)),$(SANITIZE_FLAGS)) $(SEEN) -MMD -MP -MF $(@:.o=.d) -c $< -o $@ && \
	  objcopy $(foreach f,memcpy memmove memset,--redefine-sym $(f)=fake_$(f)) $@
$(BUILD)/pretend/%.cc.o: %.cc Makefile
	@mkdir -p $(@D)
	$(call say,CXX,$<)$(CXX) -std=c++17 -O2 -g -D_GNU_SOURCE -I. -fPIC $(PRETEND_WARNINGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@
$(BUILD)/tests/cuda/t_pretend: $(BUILD)/pretend/tests/cuda/subjects.cu.o
$(BUILD)/tests/cuda/t_%: $(PRETENDED) $(call objects,$(CUDA_LIST) tests/cuda/apart.c) $(TEST_LIBRARIES) $(LIBRARIES)
	$(call link,-lcmocka -lstdc++)
$(foreach t,$(CUDA_TESTS),$(eval $(t): $(BUILD)/obj/tests/cuda/$(notdir $(t)).o))

# A bad network between two network namespaces.
WIRE := $(BUILD)/tests/wire
$(WIRE): tests/wire/wire.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) -std=c17 -D_GNU_SOURCE $(WARNINGS) $(CFLAGS) $< -o $@

# tests/fuzz/run builds these with clang and libFuzzer.
$(BUILD)/fuzz/%: $(BUILD)/obj/tests/fuzz/%.o $(TEST_LIBRARIES) $(LIBRARIES)
	$(call link,-fsanitize=fuzzer -lcmocka)

tests: $(TESTS) $(CUDA_TESTS) $(FUZZ_TESTS) $(TOOLS) $(TEST_PLUGINS) $(SLURM_FAKES) $(PRELOADS) $(FAKE_NVML) $(WIRE)

# For tests/rules and tests/fuzz/run: what sources are compiled with.
show-flags:
	$(info $(ALL_CFLAGS) $(FORMATS) $(HDF5_FLAGS))@:

# The recipe of `test` runs make anew: the packages may have come only now.
test: packages test-packages ## build and run every test
	@$(MAKE) --no-print-directory $(ALL_CORES) run-tests

run-tests: all tests
	@GANNET_BUILD=$(abspath $(BUILD)) SANITIZE=$(SANITIZE) tests/run

# What runs with COVERAGE_TESTS (names as tests/run takes them; none: all), by directory. Failures don't keep the figures back.
coverage: ## which lines and branches the tests run, by directory
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/coverage HARDENING=no CFLAGS="-O0 -g --coverage" LDFLAGS="--coverage $(LDFLAGS)" all tests
	@find $(BUILD)/coverage/obj -name '*.gcda' -delete
	@GANNET_BUILD=$(abspath $(BUILD))/coverage tests/run $(COVERAGE_TESTS) || echo "Some tests failed; the figures are of what ran."
	@tests/coverage $(BUILD)/coverage

# --- packages, demo --------------------------------------------------------------------------------------------------

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
	@$(call install_packages,$(needed))
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
	@$(MAKE) --no-print-directory $(ALL_CORES) all
	@rm -rf $(BUILD)/demo
	$(BUILD)/bin/gannet run examples/digits.yaml --dir $(BUILD)/demo

# --- installing ------------------------------------------------------------------------------------------------------

# Below share/gannet files lie as in the source tree, so that the links between pages lead somewhere.
TO      := $(DESTDIR)$(PREFIX)
SHARED   = $(sort $(shell docs/linked README.md LICENSE CHANGES.md $(wildcard docs/*.md plugins/*.c plugins/*.md clients/*.md clients/*/*.py clients/*/*.[chR] clients/*/*.jl clients/*/examples/* examples/* examples/data/*)))
COMPLETIONS := bash:bash-completion/completions/gannet zsh:zsh/site-functions/_gannet fish:fish/vendor_completions.d/gannet.fish
GANNET  := $(BUILD)/bin/gannet

install: all ## install under DESTDIR and PREFIX
	$(call say,INST,$(TO)/bin)install -D -m 755 -t $(TO)/bin $(BINARIES)
	$(call say,INST,$(TO)/include/gannet)install -D -m 644 -t $(TO)/include/gannet search/strategy.h
	$(call say,INST,$(TO)/lib/gannet)install -D -m 755 -t $(TO)/lib/gannet/plugins $(PLUGINS)
	@install -m 755 $(BUILD)/lines.so $(BUILD)/cupti.so $(TO)/lib/gannet
	@[ ! -f "$(CUDA_TRAINER)" ] || install -m 755 $(CUDA_TRAINER) $(TO)/bin
	@for module in $(SLURM_MODULE) $(HDF5_MODULE); do [ ! -f $$module ] || install -m 755 $$module $(TO)/lib/gannet || exit 1; done
	$(call say,INST,$(TO)/share/gannet)for file in $(SHARED); do \
	  install -D -m $$([ -x $$file ] && echo 755 || echo 644) $$file $(TO)/share/gannet/$$file || exit 1; done
	@$(GANNET) schema >$(TO)/share/gannet/experiment.schema.json
	$(call say,INST,$(TO)/share/doc/gannet)mkdir -p $(TO)/share/doc && rm -rf $(TO)/share/doc/gannet && ln -s ../gannet $(TO)/share/doc/gannet
	$(call say,INST,$(TO)/share/man)for page in $$($(GANNET) docs man); do \
	  mkdir -p $(TO)/share/man/man$${page##*.} && $(GANNET) docs $$page >$(TO)/share/man/man$${page##*.}/$$page || exit 1; done
	@for shell in $(COMPLETIONS); do \
	  mkdir -p $$(dirname $(TO)/share/$${shell#*:}) && $(GANNET) completion $${shell%%:*} >$(TO)/share/$${shell#*:} || exit 1; done

# Plug-ins and modules that others put beside ours stay, and so do their directories.
uninstall: ## remove what install put there
	rm -f $(patsubst $(BUILD)/%,$(TO)/%,$(BINARIES)) $(TO)/bin/gannet-trainer-cuda $(TO)/include/gannet/strategy.h $(patsubst %,$(TO)/lib/gannet/%,slurm.so hdf5.so lines.so cupti.so) \
	  $(patsubst $(BUILD)/%,$(TO)/lib/gannet/%,$(PLUGINS)) $(TO)/share/man/man1/gannet.1 $(TO)/share/man/man1/gannet-*.1 \
	  $(TO)/share/man/man5/gannet-experiment.5 $(foreach c,$(COMPLETIONS),$(TO)/share/$(call field,$(c),2))
	rm -rf $(TO)/share/gannet $(TO)/share/doc/gannet
	@for directory in include/gannet lib/gannet/plugins lib/gannet; do \
	  [ ! -d $(TO)/$$directory ] || rmdir --ignore-fail-on-non-empty $(TO)/$$directory; done

format: ## lay out every source file
	clang-format -i $$(git ls-files '*.c' '*.h' '*.cu' '*.cuh')

# A BUILD of one's own may hold other things, too.
clean: ## remove what was built
	rm -rf $(if $(filter build build/%,$(BUILD)),build,$(addprefix $(BUILD)/,bin lib obj gpu pretend plugins share tests bench fuzz demo coverage slurm.so slurm.log hdf5.so hdf5.log cuda.log lines.so cupti.so))

help: ## this list
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST))

.PHONY: all found gpu tests show-flags test run-tests coverage packages test-packages demo install uninstall format clean help
.PRECIOUS: $(BUILD)/obj/%.o $(BUILD)/pretend/%.cu.o $(BUILD)/pretend/%.cc.o

-include $(if $(wildcard $(BUILD)/obj),$(shell find $(wildcard $(BUILD)/obj $(BUILD)/pretend) -name '*.d'))

endif
