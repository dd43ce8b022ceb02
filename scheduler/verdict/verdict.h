/* What bounded a run: evidence in, a verdict out. Pure, and the same for the coordinator that records it, the store and
 * whoever shows it. docs/profile.md has the rules in words. */
#ifndef GANNET_SCHEDULER_VERDICT_VERDICT_H
#define GANNET_SCHEDULER_VERDICT_VERDICT_H

#include "common/buf.h"
#include "common/phases.h"
#include "scheduler/verdict/verdict_list.h"

enum verdict_kind {
#define X(id, name, figure, when, sentence) VERDICT_##id,
    VERDICTS(X)
#undef X
        VERDICTS_COUNT
};

/* All that is known of a run. What is not known is NAN, and no rule that needs it holds: verdict_nothing() first. */
struct verdict_evidence {
    double phases[PHASES_COUNT]; /* seconds; 0 of one that did not occur, as all of them are known when one is */
    double named;                /* seconds of the longest phase that the program named; 0: it named none */
    double cpu_seconds;          /* processor time, of all its threads and processes */
    double cores;                /* of its slot */
    double core_wait;            /* seconds that its threads were ready to run and had no core, of all of them */
    double memory_wait;          /* seconds that it waited for memory that had been put aside */
    double disk_wait;            /* seconds that it waited for disks */
    double clock;                /* of its cores while it worked, as a share of the processor's base */
    double throttled;            /* seconds that its cores were throttled */
    double quota_stall;          /* seconds that a limit of processor time stopped cores, of its worker */
    double slowest, mean;        /* seconds that its slowest rank computed, and all on average */
    double flops, bytes;         /* that its operations came to */
    double calls;                /* of these operations */
    double peak_flops;           /* a second, of all cores of the slot together */
    double bandwidth;            /* bytes a second, likewise, from where its operations have their numbers */
};

struct verdict {
    enum verdict_kind kind;
    double figure; /* what shows it, as its row says; NAN: none */
};

/* Evidence of which nothing is known. */
struct verdict_evidence verdict_nothing(void);

struct verdict verdict_find(const struct verdict_evidence *evidence);

const char *verdict_name(enum verdict_kind kind);
const char *verdict_when(enum verdict_kind kind); /* in words */

/* The verdict of that name, or -1. */
int verdict_named(const char *name);

/* Adds "68 % of the time waited for data". `cores` are those of the run's slot; NAN: not known. */
void verdict_sentence(const struct verdict *verdict, double cores, struct buf *out);

#endif
