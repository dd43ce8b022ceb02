/* The start of a fuzzer's corpus, which it makes itself: files in the directory that GANNET_FUZZ_SEEDS names. Without
 * that variable nothing is written; a seed that can't be written ends the program. */
#ifndef GANNET_TESTS_FUZZ_SEEDS_H
#define GANNET_TESTS_FUZZ_SEEDS_H

#include <stddef.h>

/* One seed, in a file of this name; and texts, in files 0, 1, 2 ... */
void fuzz_seed(const char *name, const void *bytes, size_t length);
void fuzz_seed_texts(const char *const *texts, size_t count);

/* For fuzzers whose first byte chooses what the rest is: that letter and the bytes, or what is in a file that is there.
 */
void fuzz_seed_kind(char kind, const void *bytes, size_t length);
void fuzz_seed_file(char kind, const char *file);

#endif
