/* Trials of several nodes on the fixture of the core. */
#ifndef GANNET_TESTS_CORE_GANGS_H
#define GANNET_TESTS_CORE_GANGS_H

#include "tests/core_fixture.h"

/* Workers 1, 2, ... on the nodes a, b, ...; each trial takes a slot on each of so many nodes. */
void gangs_start(struct fixture *b, uint32_t nodes, uint32_t workers, uint32_t slots);

/* The last lease that this worker was sent; NULL: none. How many all of them were sent. */
const struct msg_lease *gangs_lease_of(const struct fixture *b, uint64_t worker);
size_t gangs_count_leases(const struct fixture *b);

/* How often the worker was told to stop something, and the last ending that this named. */
size_t gangs_count_stops(const struct fixture *b, uint64_t worker, enum ending *ending);
bool gangs_is_stopped(const struct fixture *b, uint64_t worker);

#endif
