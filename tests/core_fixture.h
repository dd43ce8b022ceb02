/* A test fixture for the coordinator's core: everything around it that a claim about it needs. What the core lets out
 * is kept by its kind; the disk commits and the strategy proposes at once, unless told not to. */
#ifndef GANNET_TESTS_CORE_FIXTURE_H
#define GANNET_TESTS_CORE_FIXTURE_H

#include "scheduler/core/core.h"
#include "scheduler/core/snapshot.h"
#include "tests/claims.h"

enum { FIXTURE_MOST = 1000 }; /* of each kind of output; a test with more fails */

struct fixture {
    struct core_config config; /* to be changed before fixture_start */
    struct core *core;
    double now;
    uint64_t emitted, committed;
    bool commits;  /* each event is committed at once */
    bool proposes; /* asks are answered at once */
    struct msg sent[FIXTURE_MOST];
    uint64_t peers[FIXTURE_MOST];
    size_t sent_count;
    uint64_t told[FIXTURE_MOST];
    enum ending told_ending[FIXTURE_MOST];
    double told_value[FIXTURE_MOST];
    double told_seconds[FIXTURE_MOST];
    uint64_t told_step[FIXTURE_MOST];
    size_t told_count;
    struct output observed; /* the last OBSERVE; owned */
    size_t observed_count;
    uint64_t forgotten; /* the number up to which the strategy was to forget, the last time */
    enum event_kind events[FIXTURE_MOST];
    enum ending event_endings[FIXTURE_MOST];
    struct event last_end; /* the last TRIAL_ENDED; owned */
    struct event last_run; /* the last RUN_ENDED; owned */
    size_t event_count;
    uint64_t asked;
    bool ended;
    enum reason reason;
    char why[320]; /* the detail that it had */
};

/* A test whose *state is a fixture with usual settings: ten trials, one metric to be minimized. */
#define FIXTURE_CLAIM(name) cmocka_unit_test_setup_teardown(name, fixture_enter, fixture_leave)
int fixture_enter(void **state);
int fixture_leave(void **state);

/* Starts the core with nothing in its memory, or with this. */
void fixture_start(struct fixture *b);
void fixture_start_from(struct fixture *b, const struct memory *memory);

/* Carries out what the core wants, until it wants nothing or waits for the disk. */
void fixture_drive(struct fixture *b);

/* So many seconds pass, and the core is told. */
void fixture_wait(struct fixture *b, double seconds);

/* A message from a peer; a worker that says HELLO and offers its slots. */
void fixture_say(struct fixture *b, uint64_t peer, const struct msg *msg);
void fixture_join(struct fixture *b, uint64_t peer, uint64_t worker, uint32_t slots, uint32_t credit);
/* The same of a worker on this node that still has these runs. Slot i names the port 1000 * worker + i. */
void fixture_join_on(struct fixture *b, const char *node, uint64_t worker, uint32_t slots, struct msg_held *held,
                     uint32_t held_count);

/* A result with a value of the first metric (NaN: none), and its way to the core. */
struct msg_result fixture_done(uint64_t trial, uint32_t attempt, enum ending ending, double value);
void fixture_report(struct fixture *b, uint64_t peer, struct msg_result result);

/* The last message of a kind that was sent; NULL: none. */
const struct msg *fixture_last_sent(const struct fixture *b, enum msg_kind kind);
size_t fixture_count_sent(const struct fixture *b, enum msg_kind kind);
/* How many leases this worker was sent; the last one in *last, which stays where there is none. */
size_t fixture_count_leases(const struct fixture *b, uint64_t worker, struct msg_lease *last);
size_t fixture_count_events(const struct fixture *b, enum event_kind kind);

/* How the core stands; to be ended with snapshot_fini. */
struct snapshot fixture_stand(const struct fixture *b);
/* That without the list of workers; there is nothing to end. */
struct snapshot fixture_figures(const struct fixture *b);

#endif
