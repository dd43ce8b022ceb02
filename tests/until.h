/* Running a loop in a test until what is awaited has happened, instead of sleeping. */
#ifndef GANNET_TESTS_UNTIL_H
#define GANNET_TESTS_UNTIL_H

#include "common/loop.h"

#include <stdbool.h>

/* Runs the loop's turns until `done` says so; fails the test when it has not within five minutes. */
void until(struct loop *loop, bool (*done)(void *context), void *context);

/* The same until *flag. */
void until_true(struct loop *loop, bool *flag);

#endif
