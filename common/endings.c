/* Endings and states by name; see endings.h. */
#include "common/endings.h"

#include <assert.h>
#include <string.h>

struct ending_row {
    const char *name;
    enum trial_state state;
    enum retry_rule retry;
    const char *sentence;
};

static const struct ending_row rows[] = {
#define X(id, name, state, retry, sentence) {name, state, retry, sentence},
    ENDINGS(X)
#undef X
};

static const char *const state_names[] = {"waiting", "running", "paused",   "completed",
                                          "stopped", "failed",  "cancelled"};
_Static_assert(sizeof state_names / sizeof *state_names == TRIAL_STATES, "a name for each state");

static const struct ending_row *row_of(enum ending ending)
{
    assert(ending < ENDINGS_COUNT);
    return &rows[ending];
}

const char *ending_name(enum ending ending)
{
    return row_of(ending)->name;
}

const char *ending_sentence(enum ending ending)
{
    return row_of(ending)->sentence;
}

enum trial_state ending_state(enum ending ending)
{
    return row_of(ending)->state;
}

enum retry_rule ending_retry(enum ending ending)
{
    return row_of(ending)->retry;
}

bool ending_uses_retry(enum ending ending)
{
    return ending_retry(ending) == RETRY_COUNTED || ending_retry(ending) == RETRY_MORE;
}

bool ending_is_blameless(enum ending ending)
{
    enum retry_rule rule = ending_retry(ending);
    return rule == RETRY_FREE || rule == RETRY_LATER || ending == ENDING_CANCELLED || ending == ENDING_NOT_STARTED;
}

bool ending_keeps(enum ending ending)
{
    return ending == ENDING_CANCELLED || ending == ENDING_LOST || ending_retry(ending) == RETRY_LATER;
}

int ending_named(const char *name)
{
    for (int i = 0; i < ENDINGS_COUNT; i++)
        if (strcmp(name, rows[i].name) == 0)
            return i;
    return -1;
}

const char *trial_state_name(enum trial_state state)
{
    assert(state < TRIAL_STATES);
    return state_names[state];
}

int trial_state_named(const char *name)
{
    for (int i = 0; i < TRIAL_STATES; i++)
        if (strcmp(name, state_names[i]) == 0)
            return i;
    return -1;
}

bool trial_state_is_end(enum trial_state state)
{
    return state >= TRIAL_COMPLETED;
}

bool trial_state_name_is_end(const char *name)
{
    int state = trial_state_named(name);
    return state >= 0 && trial_state_is_end((enum trial_state)state);
}

uint64_t trial_states_ended(const uint64_t counts[TRIAL_STATES])
{
    uint64_t sum = 0;
    for (int state = TRIAL_COMPLETED; state < TRIAL_STATES; state++)
        sum += counts[state];
    return sum;
}
