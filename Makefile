# Everything a newcomer needs: `make up` (install, build, start), `make test` (install, build, test).
# `make help` lists the rest.  How the build works: docs/decisions/001-build.md.
SHELL := /bin/bash
CC ?= gcc
V ?= release
B := build/$(V)
PREFIX ?= /usr/local
J ?= $(shell nproc)
T ?= *

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
COMMIT_TIME := $(shell git log -1 --format=%cI 2>/dev/null || echo unknown)

WARN := -Wall -Wextra -Wformat-security -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wimplicit-fallthrough \
	-Wpointer-arith -Wwrite-strings -Werror
BASEFLAGS := -std=gnu17 -D_GNU_SOURCE -Isrc -I. -g -fno-omit-frame-pointer $(WARN)
GCC_ONLY := $(if $(filter clang fuzz,$(V)),,-Wno-format-truncation)
FLAGS_release := -O2 -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fPIE -fno-asynchronous-unwind-tables
FLAGS_debug := -O0 -DCOX_DEBUG -fPIE
FLAGS_asan := -O1 -DCOX_DEBUG -DCOX_SANITIZE -fsanitize=address,undefined -fno-sanitize-recover=all
FLAGS_tsan := -O1 -DCOX_DEBUG -fsanitize=thread
FLAGS_cov := -O0 -DCOX_DEBUG --coverage
FLAGS_clang := -O1 -fPIE
FLAGS_fuzz := -O1 -DCOX_SANITIZE -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
LDFLAGS_release := -pie -Wl,-z,relro,-z,now,-z,pack-relative-relocs -Wl,--gc-sections
LDFLAGS_debug := -pie
LDFLAGS_asan := -fsanitize=address,undefined
LDFLAGS_tsan := -fsanitize=thread
LDFLAGS_cov := --coverage
LDFLAGS_clang := -pie
LDFLAGS_fuzz := -fsanitize=address,undefined
ifneq (,$(filter $(V),clang fuzz))
CC := clang
endif
CFLAGS_ALL = $(BASEFLAGS) $(GCC_ONLY) $(FLAGS_$(V)) -ffunction-sections -fdata-sections $(CFLAGS)
LIBS := -lssl -lcrypto -lnghttp2 -lyaml -lz -lzstd -lpthread -lm

# A folder of src/ is one static library; what it may use stands in docs/layers.txt.
FOLDERS := $(shell sed -n 's/^\([a-z]*\):.*/\1/p' docs/layers.txt)
deps_of = $(shell sed -n 's/^$(1)://p' docs/layers.txt)
SRC := $(shell find src -name '*.c' | sort)
TEST_SRC := $(filter %_test.c,$(SRC))
LIB_SRC := $(filter-out %_test.c src/main.c,$(SRC))
FUZZ_SRC := $(wildcard tests/fuzz/*_fuzz.c)
BENCH_SRC := $(wildcard bench/bench_*.c)
BENCH_LIB := $(wildcard bench/lib/*.c)
folder_of = $(word 2,$(subst /, ,$(1)))
obj = $(patsubst %.c,$(B)/%.o,$(1))

lib_of = $(B)/lib$(1).a
libs_for = $(call lib_of,$(1)) $(foreach d,$(call deps_of,$(1)),$(call lib_of,$(d)))
ALL_LIBS := $(foreach f,$(shell tac docs/layers.txt | sed -n 's/^\([a-z]*\):.*/\1/p'),$(call lib_of,$(f)))

.PHONY: all help up down test unit asan tsan fuzz lint cov bench install clean packages gen unit-bins fuzz-bins
all: build/cox

help:
	@sed -n 's/^## //p' Makefile

## make                 the release program at build/cox
build/cox: build/release/cox
	@cp -f $< $@ && strip $@
build/release/cox: FORCE
	@$(MAKE) -s --no-print-directory V=release -j$(J) build/release/bin/cox
	@cp -f build/release/bin/cox $@
FORCE:

$(B)/bin/cox: $(call obj,src/main.c) $(ALL_LIBS)
	@mkdir -p $(@D)
	@echo "  LINK $@"
	@$(CC) $(LDFLAGS_$(V)) -o $@ $< -Wl,--start-group $(ALL_LIBS) -Wl,--end-group $(LIBS)

$(B)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC   $<"
	@$(CC) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<
# Version strings live in one file, so that a commit rebuilds one file: the stamp changes with them.
$(B)/version.stamp: FORCE
	@mkdir -p $(@D)
	@echo '$(VERSION) $(COMMIT_TIME)' | cmp -s - $@ || echo '$(VERSION) $(COMMIT_TIME)' > $@
$(B)/src/base/version.o: $(B)/version.stamp
$(B)/src/base/version.o: CFLAGS += -DCOX_VERSION='"$(VERSION)"' -DCOX_BUILD_TIME='"$(COMMIT_TIME)"'

define lib_rule
$(call lib_of,$(1)): $(call obj,$(filter src/$(1)/%,$(LIB_SRC)))
	@mkdir -p $$(@D)
	@rm -f $$@
	@ar rcs $$@ $$^
endef
$(foreach f,$(FOLDERS),$(eval $(call lib_rule,$(f))))

# A unit test links its own folder and what that folder may use: an upward call fails to link.
define test_rule
$(B)/test/$(notdir $(basename $(1))): $(call obj,$(1)) $(call libs_for,$(call folder_of,$(1)))
	@mkdir -p $$(@D)
	@echo "  LINK $$@"
	@$(CC) $(LDFLAGS_$(V)) -o $$@ $$< -Wl,--start-group $(call libs_for,$(call folder_of,$(1))) -Wl,--end-group $(LIBS)
endef
$(foreach t,$(TEST_SRC),$(eval $(call test_rule,$(t))))
UNIT_BINS := $(foreach t,$(TEST_SRC),$(B)/test/$(notdir $(basename $(t))))
# T=json* and T=json build the programs that begin so; make knows one wildcard a pattern
unit-bins: $(filter $(B)/test/$(subst *,,$(T))%,$(UNIT_BINS))

# Fuzzers: the same object with libFuzzer (make fuzz) or with a driver that replays the corpus (a test).
define fuzz_rule
$(B)/fuzz/$(notdir $(basename $(1))): $(call obj,$(1)) $(if $(filter fuzz,$(V)),,$(call obj,tests/fuzz/driver.c)) $(ALL_LIBS)
	@mkdir -p $$(@D)
	@echo "  LINK $$@"
	@$(CC) $(LDFLAGS_$(V)) $(if $(filter fuzz,$(V)),-fsanitize=fuzzer) -o $$@ $$(filter %.o,$$^) -Wl,--start-group $(ALL_LIBS) -Wl,--end-group $(LIBS)
endef
$(foreach t,$(FUZZ_SRC),$(eval $(call fuzz_rule,$(t))))
FUZZ_BINS := $(foreach t,$(FUZZ_SRC),$(B)/fuzz/$(notdir $(basename $(t))))
fuzz-bins: $(FUZZ_BINS)

# bench/bench_api.c -> build/bench-api
BENCH_BINS := $(foreach b,$(BENCH_SRC),build/$(subst _,-,$(notdir $(basename $(b)))))
define bench_rule
build/$(subst _,-,$(notdir $(basename $(1)))): FORCE
	@$(MAKE) --no-print-directory V=release -j$(J) build/release/bin/$(subst _,-,$(notdir $(basename $(1))))
	@cp -f build/release/bin/$(subst _,-,$(notdir $(basename $(1)))) $$@
$(B)/bin/$(subst _,-,$(notdir $(basename $(1)))): $(call obj,$(1)) $(call obj,$(BENCH_LIB)) $(ALL_LIBS)
	@mkdir -p $$(@D)
	@echo "  LINK $$@"
	@$(CC) $(LDFLAGS_$(V)) -o $$@ $$(filter %.o,$$^) -Wl,--start-group $(ALL_LIBS) -Wl,--end-group $(LIBS)
endef
$(foreach b,$(BENCH_SRC),$(eval $(call bench_rule,$(b))))
## make bench           the benchmarks at build/bench-*; each has --list, --workload NAME, --json
bench:
	@tools/packages build bench
	@$(MAKE) --no-print-directory all $(BENCH_BINS)

## make up              install what is needed, build, start a cluster here, say what to type next
up: packages
	@$(MAKE) --no-print-directory all
	@tools/up
## make down            stop it (the data stays; tools/up says where)
down:
	@tools/up --down

packages:
	@tools/packages build
## make test [T=glob]   install, build and run every test, or those whose name matches
test:
	@tools/packages build test
	@tools/run_tests --jobs $(J) '$(T)'
## make asan tsan       unit tests and corpora under the sanitizers
asan tsan: packages
	@$(MAKE) --no-print-directory V=$@ -j$(J) unit-bins fuzz-bins
	@tools/run_tests --only unit,fuzz --variant $@ '$(T)'
## make fuzz            run every fuzzer for a minute (FUZZ_SECONDS)
fuzz: packages
	@$(MAKE) --no-print-directory V=fuzz -j$(J) fuzz-bins
	@tools/run_fuzzers $(or $(FUZZ_SECONDS),60)
## make lint            layers, headers, generated files, clang build, cppcheck, shellcheck, spelling
lint:
	@tools/packages build test lint
	@tools/lint
## make cov             coverage of the unit tests, in build/cov/coverage.txt
cov:
	@tools/packages build test lint
	@$(MAKE) --no-print-directory V=cov -j$(J) unit-bins
	@tools/run_tests --only unit --variant cov
	@gcovr --root . --object-directory build/cov --filter src/ --exclude '.*_test\.c' --exclude 'src/api/gen/.*' \
		-o build/cov/coverage.txt && tail -n 1 build/cov/coverage.txt
## make gen             write src/api/gen from api/*.api again
gen:
	@python3 tools/gen_api.py
## make install         PREFIX=/usr/local: program, man page, completions
install: all
	install -D -m 755 build/cox $(DESTDIR)$(PREFIX)/bin/cox
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
		$(DESTDIR)$(PREFIX)/share/zsh/site-functions $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	build/cox man > $(DESTDIR)$(PREFIX)/share/man/man1/cox.1
	build/cox completion bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/cox
	build/cox completion zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_cox
	build/cox completion fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/cox.fish
## make clean           remove build/
clean:
	rm -rf build

-include $(shell find $(B) -name '*.d' 2>/dev/null)
