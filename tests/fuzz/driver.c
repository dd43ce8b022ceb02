/* A fuzz target without libFuzzer, for `make test`: its seeds, and random inputs and changes of the seeds, always the
 * same ones in the same order: two seconds of them and at most 5,000, or as many as come in GANNET_FUZZ_SECONDS, or
 * GANNET_FUZZ_INPUTS (GANNET_FUZZ_FIRST says where to begin). A finding aborts, and so does an input that takes
 * minutes; it is left in the file that the last line names. */
#include "common/buf.h"
#include "common/clock.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/rng.h"
#include "tests/scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SEEDS = 64, LONGEST = 4096, LEAST_INPUTS = 50, MOST_INPUTS = 5000, LONGEST_SECONDS = 120 };

static struct buf seeds[SEEDS], input;
static size_t seed_count;

/* --- a finding --- */

static void leave_input(int number)
{
    static const char path[] = "fuzz-finding";
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file >= 0 && write(file, input.data, input.length) == (ssize_t)input.length)
        fprintf(stderr, "%sthe input is in ./%s\n", number == SIGALRM ? "it takes too long; " : "", path);
    signal(number, SIG_DFL);
    raise(number);
}

/* --- inputs --- */

static void read_seeds(const char *directory)
{
    struct dirent *entry;
    DIR *list = opendir(directory);
    while (list && seed_count < SEEDS && (entry = readdir(list))) {
        char *path = path_join(directory, entry->d_name);
        if (*entry->d_name != '.' && path_read(path, &seeds[seed_count], 1 << 20, NULL) == 0)
            seed_count++;
        free(path);
    }
    if (list)
        closedir(list);
}

/* What stands there comes once more at the end. */
static void repeat_piece(struct rng *rng, size_t at)
{
    char piece[64];
    size_t left = input.length - at, length = 1 + rng_below(rng, left < sizeof piece ? left : sizeof piece);
    memcpy(piece, input.data + at, length);
    buf_add(&input, piece, length);
}

static void change_input(struct rng *rng)
{
    for (uint64_t changes = rng_below(rng, 8); changes && input.length; changes--) {
        size_t at = rng_below(rng, input.length);
        if (rng_below(rng, 4))
            input.data[at] = (char)rng_next(rng);
        else if (rng_below(rng, 2))
            buf_drop(&input, at < 16 ? at : 16);
        else
            repeat_piece(rng, at);
    }
}

/* The so-manieth input: a seed with changes, or random bytes. */
static void make_input(uint64_t number)
{
    struct rng rng = rng_make(number, "fuzz", 0);
    buf_clear(&input);
    if (seed_count && rng_below(&rng, 3)) {
        const struct buf *seed = &seeds[rng_below(&rng, seed_count)];
        buf_add(&input, buf_str((struct buf *)seed), seed->length);
        if (number >= seed_count)
            change_input(&rng);
    } else {
        for (uint64_t length = rng_below(&rng, 2) ? rng_below(&rng, 64) : rng_below(&rng, LONGEST); length; length--) {
            char byte = (char)rng_next(&rng);
            buf_add(&input, &byte, 1);
        }
    }
}

static double number_of(const char *name, double otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtod(text, NULL) : otherwise;
}

/* Returns how many inputs there were. */
static uint64_t try_inputs(uint64_t first)
{
    double inputs = number_of("GANNET_FUZZ_INPUTS", 0),
           seconds = number_of("GANNET_FUZZ_SECONDS", inputs > 0 ? 1e9 : 0);
    double end = clock_monotonic() + (seconds > 0 ? seconds : 2);
    uint64_t most = inputs > 0 ? (uint64_t)inputs : seconds > 0 ? UINT64_MAX : MOST_INPUTS, count = 0;
    for (; count < LEAST_INPUTS || (count < most && clock_monotonic() < end); count++) {
        make_input(first + count);
        alarm(LONGEST_SECONDS);
        LLVMFuzzerTestOneInput((const uint8_t *)buf_str(&input), input.length);
    }
    alarm(0);
    return count;
}

int main(int argc, char **argv)
{
    char *directory = scratch_make();
    setenv("GANNET_FUZZ_SEEDS", directory, 1);
    if (LLVMFuzzerInitialize)
        LLVMFuzzerInitialize(&argc, &argv);
    read_seeds(directory);
    scratch_remove(directory);
    signal(SIGABRT, leave_input);
    signal(SIGALRM, leave_input);
    uint64_t count = try_inputs((uint64_t)number_of("GANNET_FUZZ_FIRST", 0));
    printf("1..1\nok 1 - nothing was found in %llu inputs\n", (unsigned long long)count);
    for (size_t i = 0; i < seed_count; i++)
        buf_fini(&seeds[i]);
    buf_fini(&input);
    return 0;
}
