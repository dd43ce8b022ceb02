/* Failures one after the other that end alike; see tally.h.
 *
 * A program that can't work - a module that is missing, a misspelt option - fails in each trial with the same words,
 * and goes on doing so for as many trials as there are. A program that works and can't do with some configurations
 * fails now and then, and some of these failures follow each other by chance: with the share p of failures before the
 * first of them, n in a row have the probability p^n. While some trial has succeeded, that has to be below one in a
 * million. */
#include "scheduler/core/tally.h"
#include "common/hash.h"
#include "common/buf.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double by_chance = 1e-6;

/* What a configuration does not decide, as far as an ending tells. */
static bool is_of_program(enum ending ending)
{
    return ending == ENDING_EXITED || ending == ENDING_CRASHED || ending == ENDING_NOT_STARTED ||
           ending == ENDING_BAD_CONFIG || ending == ENDING_NO_VALUE || ending == ENDING_REPORTED;
}

/* Memory that ran out is the configuration's after all. */
static bool speaks_of_memory(const char *words)
{
    return strcasestr(words, "out of memory") || strcasestr(words, "memoryerror");
}

/* The last line of a text that has something to read; its length in *length. */
static const char *last_line(const char *text, size_t *length)
{
    const char *end = text + strlen(text), *begin;
    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    for (begin = end; begin > text && begin[-1] != '\n'; begin--)
        ;
    while (begin < end && isspace((unsigned char)*begin))
        begin++;
    *length = (size_t)(end - begin);
    return begin;
}

static bool ends_word(char c)
{
    return isspace((unsigned char)c) || strchr("'\"()[]{}<>,;:=", c);
}

/* The words with # for each that has a digit or a slash: numbers, addresses, times and paths. */
static void add_without_numbers(const char *words, struct buf *out)
{
    while (*words) {
        size_t length = 0;
        bool varies = false;
        for (; words[length] && !ends_word(words[length]); length++)
            varies |= isdigit((unsigned char)words[length]) || words[length] == '/';
        if (varies)
            buf_text(out, "#");
        else
            buf_add(out, words, length);
        words += length;
        if (*words)
            buf_add(out, words++, 1);
    }
}

static uint64_t key_of(enum ending ending, const char *words)
{
    struct buf plain = {0};
    buf_format(&plain, "%s ", ending_name(ending));
    add_without_numbers(words, &plain);
    uint64_t key = hash_text(buf_str(&plain));
    buf_fini(&plain);
    return key | 1;
}

uint64_t streak_key(enum ending ending, const char *detail, const char *tail, char *words, size_t size)
{
    size_t length;
    const char *line = last_line(tail && *tail ? tail : detail ? detail : "", &length);
    snprintf(words, size, "%.*s", (int)(length < size ? length : size - 1), line);
    return is_of_program(ending) && !speaks_of_memory(words) ? key_of(ending, words) : 0;
}

/* One more failure that is known by this key. */
static void add_failure(struct streak *streak, const struct tally *tally, enum ending ending, uint64_t key,
                        const char *words)
{
    if (key != streak->key || !key)
        *streak = (struct streak){
            .key = key, .failed = tally->ended[TRIAL_FAILED], .ended = trial_states_ended(tally->ended)};
    streak->count++;
    snprintf(streak->words, sizeof streak->words, "%s", *words ? words : ending_sentence(ending));
}

void streak_note(struct streak *streak, const struct tally *tally, enum ending ending, const char *detail,
                 const char *tail)
{
    char words[sizeof streak->words];
    if (ending_state(ending) == TRIAL_CANCELLED)
        return;
    if (!is_of_program(ending)) {
        streak->key = 0;
        return;
    }
    uint64_t key = streak_key(ending, detail, tail, words, sizeof words);
    add_failure(streak, tally, ending, key, words);
}

bool streak_is_reached(const struct streak *streak, const struct tally *tally, uint32_t limit)
{
    bool succeeded = tally->ended[TRIAL_COMPLETED] || tally->ended[TRIAL_STOPPED];
    double share = (double)(streak->failed + 1) / (double)(streak->ended + 2);
    if (!limit || !streak->key || streak->count < limit)
        return false;
    return !succeeded || pow(share, (double)streak->count) <= by_chance;
}

const char *streak_describe(const struct streak *streak, char *out, size_t size)
{
    snprintf(out, size, "%llu trials in a row ended with: %s", (unsigned long long)streak->count, streak->words);
    return out;
}
