/* A test bed for the coordinator's core: everything around it that a claim about it needs. What the core lets out is
 * kept by its kind; the disk commits and the strategy proposes at once, unless told not to. */
#ifndef GANNET_TESTS_BED_H
#define GANNET_TESTS_BED_H

#include "scheduler/core/core.h"
#include "scheduler/core/snapshot.h"
#include "tests/claims.h"

enum { BED_MOST = 400 }; /* of each kind of output; a test with more fails */

struct bed {
    struct core_config config; /* to be changed before bed_start */
    struct core *core;
    double now;
    uint64_t emitted, committed;
    bool commits;  /* each event is committed at once */
    bool proposes; /* asks are answered at once */
    struct msg sent[BED_MOST];
    uint64_t peers[BED_MOST];
    size_t sent_count;
    uint64_t told[BED_MOST];
    enum ending told_ending[BED_MOST];
    double told_value[BED_MOST];
    size_t told_count;
    enum event_kind events[BED_MOST];
    enum ending event_endings[BED_MOST];
    struct phase_time queue_time;
    struct event last_end; /* the last TRIAL_ENDED; owned */
    size_t event_count;
    uint64_t asked;
    bool ended;
    enum reason reason;
    char why[320]; /* the detail that it had */
};

/* A test whose *state is a bed with usual settings: ten trials, one metric to be minimized. */
#define BED_CLAIM(name) cmocka_unit_test_setup_teardown(name, bed_enter, bed_leave)
int bed_enter(void **state);
int bed_leave(void **state);

/* Starts the core with nothing in its memory, or with this. */
void bed_start(struct bed *b);
void bed_start_from(struct bed *b, const struct memory *memory);

/* Carries out what the core wants, until it wants nothing or waits for the disk. */
void bed_drive(struct bed *b);

/* So many seconds pass, and the core is told. */
void bed_wait(struct bed *b, double seconds);

/* A message from a peer; a worker that says HELLO and offers its slots. */
void bed_say(struct bed *b, uint64_t peer, const struct msg *msg);
void bed_join(struct bed *b, uint64_t peer, uint64_t worker, uint32_t slots, uint32_t credit);

/* A result with a value of the first metric (NaN: none), and its way to the core. */
struct msg_result bed_done(uint64_t trial, uint32_t attempt, enum ending ending, double value);
void bed_report(struct bed *b, uint64_t peer, struct msg_result result);

/* The last message of a kind that was sent; NULL: none. */
const struct msg *bed_last_sent(const struct bed *b, enum msg_kind kind);
size_t bed_count_sent(const struct bed *b, enum msg_kind kind);
size_t bed_count_events(const struct bed *b, enum event_kind kind);

/* How the core stands; to be ended with snapshot_fini. */
struct snapshot bed_stand(const struct bed *b);

#endif
