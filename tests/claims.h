/* What the test programs share: cmocka with all it needs, a scratch directory, and claims about sentences. */
#ifndef GANNET_TESTS_CLAIMS_H
#define GANNET_TESTS_CLAIMS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* cmocka 2 has given it a name for each kind of number. */
#ifdef assert_int_in_range
#undef assert_in_range
#define assert_in_range assert_int_in_range
#endif

/* Setup and teardown of a test with a private (0700) directory of its own, whose path is *state:
 *
 *     cmocka_unit_test_setup_teardown(a_file_is_written, enter_scratch, leave_scratch) */
int enter_scratch(void **state);
int leave_scratch(void **state);

/* DIRECTORY/NAME; valid until the fourth call after. */
const char *path_in(void *const *state, const char *name);

/* Writes a small file with this mode. */
void write_file(const char *path, const char *text, unsigned mode);

/* The text has that part. */
#define assert_has(text, part) claim_has((text), (part), __FILE__, __LINE__)
void claim_has(const char *text, const char *part, const char *file, int line);

/* Skips the running test and says why at the end of tests/run. */
#define skip_because(...)                                                                                              \
    do {                                                                                                               \
        could_not_try(__VA_ARGS__);                                                                                    \
        skip();                                                                                                        \
    } while (0)
void could_not_try(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
