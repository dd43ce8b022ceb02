# What the sanitizers are told, for tests/run: the first finding ends the program, leaks are findings. Sourced from the
# root of the source tree. A suppression names a foreign library only. What is found goes into files below $reports, so
# that processes whose output and status nobody looks at are heard, too.

supp=$PWD/tests/sanitize
export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1:check_initialization_order=1:log_path=$reports/found:suppressions=$supp/address.supp
export LSAN_OPTIONS=suppressions=$supp/leak.supp:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1:log_path=$reports/found
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:log_path=$reports/found:suppressions=$supp/thread.supp

# ThreadSanitizer of older compilers can't live with the wide address randomisation of newer kernels.
randomize=
if [ "$SANITIZE" = thread ] && setarch "$(uname -m)" -R true 2>/dev/null; then
    randomize="setarch $(uname -m) -R"
fi
