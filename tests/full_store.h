/* A store in which something of everything has happened. */
#ifndef GANNET_TESTS_FULL_STORE_H
#define GANNET_TESTS_FULL_STORE_H

#include "scheduler/store/store.h"

extern const char full_store_identity[];

/* An empty one, of that identity; NULL with the reason. */
struct store *full_store_begin(const char *path, struct err *err);

/* One with a history of every kind of event. */
struct store *full_store_make(const char *path);

#endif
