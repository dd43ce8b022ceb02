/* The trials of an experiment in an order, as far as they were read: 24 bytes each. Those that have ended stay where
 * they are until something is said of them again; those that live are few, and are put in anew at each reading. */
#ifndef GANNET_CLI_FETCH_TRIAL_ORDER_H
#define GANNET_CLI_FETCH_TRIAL_ORDER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trial_order;

/* Lowest first, or (`reverse`) highest; of equal ones the lower number. Numbers go before texts, those without a value
 * last. */
struct trial_order *trial_order_create(bool reverse);
void trial_order_destroy(struct trial_order *order); /* NULL is fine */

/* What a trial is ordered by. */
struct order_key {
    unsigned rank;    /* up to 255: those with a lower one go before, whatever the direction */
    double number;    /* NaN: none */
    const char *text; /* NULL: none */
};

/* Puts in a trial that has ended. Not `kept`: it is taken out, when it is there. Seen after the next settle. */
void trial_order_put(struct trial_order *order, uint64_t trial, const struct order_key *key, bool kept);

/* Takes out all that live, and puts one in. */
void trial_order_clear_living(struct trial_order *order);
void trial_order_put_living(struct trial_order *order, uint64_t trial, const struct order_key *key);

/* Sorts what was put in. */
void trial_order_settle(struct trial_order *order);

/* How many there are; and the numbers of those from place `first` on, at most `count`, added to an array. */
uint64_t trial_order_count(const struct trial_order *order);
void trial_order_list(const struct trial_order *order, uint64_t first, uint64_t count, json_t *out);

#endif
