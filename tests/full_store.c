/* See full_store.h. */
#include "tests/full_store.h"
#include "tests/random_history.h"
#include "tests/stores.h"
#include "tests/test_metrics.h"

enum { EVENTS = 120, SOME = 4 };

const char full_store_identity[] = "0123456789abcdef0123456789abcdef";

struct store *full_store_begin(const char *path, struct err *err)
{
    const struct store_experiment experiment = {.name = "statements",
                                                .spec = "version: 1\n",
                                                .metrics = metrics_min,
                                                .strategy = "random",
                                                .parameters = "[{\"name\": \"lr\", \"kind\": \"real\"}]",
                                                .identity = full_store_identity};
    return store_make(path, &experiment, err);
}

struct store *full_store_make(const char *path)
{
    struct err err;
    struct event events[SOME];
    struct store *store = full_store_begin(path, &err);
    fine(!store, &err);
    struct random_history *history = random_history_create(11);
    for (size_t i = 0; i < EVENTS; i += SOME) {
        for (size_t j = 0; j < SOME; j++)
            events[j] = random_history_next(history);
        fine(store_write(store, events, SOME, &err), &err);
        for (size_t j = 0; j < SOME; j++)
            event_fini(&events[j]);
    }
    random_history_destroy(history);
    return store;
}
