#!/bin/bash
# programs, plug-ins and modules are built so that a memory error is hard to use
. "$(dirname "$0")/lib.sh"
scratch
[ -z "$SANITIZE" ] || skip_all "sanitized builds are for finding errors, not for withstanding them"
command -v readelf >/dev/null || skip_all "readelf is not here: apt-get install binutils"

# missing WORDS-PATTERN FILE OPTION...: whether readelf says nothing that matches.
missing() {
    local pattern=$1 file=$2
    shift 2
    ! readelf -W "$@" "$file" 2>/dev/null | grep -Eq -e "$pattern"
}

# The linker marks a file only when the C library's start files are marked, too. Debian 12's are not: there functions
# of ours are looked at that begin with the mark.
can_be_marked() {
    readelf -nW "$(gcc -print-file-name=crti.o 2>/dev/null)" 2>/dev/null | grep -q 'x86 feature:.*IBT'
}
begins_marked() {
    objdump -d --no-show-raw-insn "$1" | grep -A 1 '>:$' | grep -B 1 endbr64 | grep '>:$' |
        grep -Eqv '<(_start|_init|_fini|frame_dummy|__do_global_dtors_aux)>'
}
lands_anywhere() {
    [ "$(uname -m)" = x86_64 ] || return 1
    if can_be_marked; then missing 'x86 feature:.*IBT, SHSTK' "$1" -n; else ! begins_marked "$1"; fi
}

# flaws_of FILE: what a hardened file has and this one has not.
flaws_of() {
    missing ' GNU_RELRO ' "$1" -l && echo "$1: no part of it becomes read-only (-z relro)"
    missing 'FLAGS.* NOW' "$1" -d && echo "$1: functions of libraries are bound late (-z now)"
    missing 'GNU_STACK.* RW ' "$1" -l && echo "$1: code can run on its stack"
    missing 'Type: +DYN' "$1" -h && echo "$1: it has a fixed address (PIE)"
    ! lands_anywhere "$1" || echo "$1: branches may land anywhere (CET)"
}

programs=$(ls "$GANNET_BUILD"/bin/*)
modules=$(ls "$GANNET_BUILD"/plugins/*.so "$GANNET_BUILD/slurm.so" "$GANNET_BUILD/hdf5.so" "$GANNET_BUILD/lines.so" "$GANNET_BUILD/cupti.so" 2>/dev/null)
for file in $programs $modules; do
    is "$(basename "$file") is hardened" "" "$(flaws_of "$file")"
done
for file in $programs; do
    claim "$(basename "$file") is a program at any address" eval "readelf -dW '$file' | grep -q 'FLAGS_1.* PIE'"
done

# gcc writes into the debug information of each source what it was compiled with.
unguarded() {
    readelf --debug-dump=info --dwarf-depth=1 "$1" 2>/dev/null | grep 'DW_AT_producer.* GNU C' |
        grep -vc -e '-fstack-clash-protection.*-ftrivial-auto-var-init=zero\|-ftrivial-auto-var-init=zero.*-fstack-clash-protection'
}
if readelf --debug-dump=info --dwarf-depth=1 "$GANNET_BUILD/bin/gannet" 2>/dev/null | grep -q 'DW_AT_producer.* GNU C.*-std=c17'; then
    for file in $programs $modules; do
        is "every source of $(basename "$file") has guarded stacks and variables that start as zero" 0 "$(unguarded "$file")"
    done
else
    skip "every source has guarded stacks and variables that start as zero" "only gcc records its flags; this is another's build"
fi

# What each compiler makes of a copy into memory whose size is known at run time only.
cat >copy.c <<'END'
#include <stdlib.h>
#include <string.h>
char *copy(const char *from, size_t room, size_t length);
char *copy(const char *from, size_t room, size_t length)
{
    char *to = malloc(room);
    return to ? memcpy(to, from, length) : NULL;
}
END
for compiler in gcc clang; do
    if ! command -v $compiler >/dev/null; then
        skip "what $compiler makes of a copy" "$compiler is not here"
        continue
    fi
    flags=$(make -s -C "$SOURCE" show-flags CC=$compiler SANITIZE= CFLAGS='-O2 -g')
    # shellcheck disable=SC2086
    (cd "$SOURCE" && $compiler $flags -c "$SCRATCH/copy.c" -o "$SCRATCH/copy.o")
    if echo | $compiler -O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -include stdio.h -x c -c -o /dev/null - 2>/dev/null; then
        matches "with $compiler a copy is checked against sizes that are known at run time" memcpy_chk "$(nm copy.o)"
    else
        skip "with $compiler a copy is checked against sizes that are known at run time" "this compiler or C library has no such checks"
    fi
done
finish
