/* The rules, in the order in which they are tried; see verdict.h.
 *
 * Shares are of the run's time without the queue. A machine that is busy with others stretches what is computed, not
 * what is waited for, so the time that threads waited for cores is first taken off the phases that compute, starting a
 * process among them, and off the part of the others in which threads worked or could have. */
#include "scheduler/verdict/verdict.h"

#include <math.h>
#include <string.h>

enum figure { FIGURE_NONE, FIGURE_SHARE, FIGURE_CORES };

static const struct {
    const char *name, *when, *sentence;
    enum figure figure;
} rows[] = {
#define X(id, name, figure, when, sentence) {name, when, sentence, FIGURE_##figure},
    VERDICTS(X)
#undef X
};

/* Evidence put together, in seconds. */
struct parts {
    double wall;      /* the run, as it passed */
    double all;       /* the same without what computing lost to others */
    double computing; /* training, and what the program did not break down */
    double stalls[4]; /* data, checkpoint, sync, evaluation */
    double launch;    /* hand-over included */
    double idle;
    double named;
    double kept; /* the share of the time that its threads could run in which they had a core; NAN: not known */
};
enum { STALL_DATA, STALL_CHECKPOINT, STALL_SYNC, STALL_EVALUATION, STALLS };

struct verdict_evidence verdict_nothing(void)
{
    struct verdict_evidence nothing;
    double *numbers = (double *)&nothing;
    for (size_t i = 0; i < sizeof nothing / sizeof *numbers; i++)
        numbers[i] = NAN;
    return nothing;
}

/* Handing a run to its trainer and taking the result back costs some 0.1 ms, in which it neither launches nor works. */
static bool is_hand_over(double idle)
{
    return idle < 0.001;
}

/* A process that does nothing uses a millisecond of processor time to begin and to end, and may wait for a core: below
 * a tenth of a second nobody looks whether it did. */
static bool is_mere_start(const struct verdict_evidence *evidence)
{
    double waited = evidence->core_wait > 0 ? evidence->core_wait : 0;
    return evidence->cpu_seconds < 0.002 && evidence->phases[PHASE_WORK] - waited < 0.1;
}

static double share_kept(const struct verdict_evidence *evidence)
{
    double could = evidence->cpu_seconds + evidence->core_wait;
    return could > 0 ? evidence->cpu_seconds / could : NAN;
}

/* Of NAN NAN. */
static double at_most_all(double share)
{
    return share > 1 ? 1 : share;
}

static double wall_of(const struct verdict_evidence *evidence)
{
    double sum = evidence->named > 0 ? evidence->named : 0;
    for (int i = 0; i < PHASES_COUNT; i++)
        sum += i == PHASE_QUEUE ? 0 : evidence->phases[i];
    return sum;
}

/* Computing phases leave none of the time in which a thread worked or could have to the others, or some: in so many
 * seconds of those something was computed, too. Not known: 0. */
static double computed_beside(const struct verdict_evidence *evidence, double computing, double others)
{
    double busy = fmin(evidence->cpu_seconds + evidence->core_wait, computing + others);
    return busy > computing ? fmin(busy - computing, others) : 0;
}

/* What is left of a second of the phases that compute, and of one of the others, without waits for cores. */
struct verdict_stretch {
    double computing, others;
};

static struct verdict_stretch find_stretch(const struct verdict_evidence *evidence, double kept)
{
    static const enum phase waits[] = {PHASE_DATA, PHASE_CHECKPOINT, PHASE_ALLREDUCE, PHASE_IDLE};
    double others = evidence->named > 0 ? evidence->named : 0;
    if (!(kept > 0))
        return (struct verdict_stretch){1, 1};
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        others += evidence->phases[waits[i]];
    double before = evidence->phases[PHASE_LAUNCH] + evidence->phases[PHASE_STAGE]; /* anything was counted */
    double beside = computed_beside(evidence, wall_of(evidence) - before - others, others);
    return (struct verdict_stretch){kept, others > 0 ? 1 - (1 - kept) * beside / others : 1};
}

static struct parts put_together(const struct verdict_evidence *evidence)
{
    const double *phases = evidence->phases;
    double kept = share_kept(evidence), idle = phases[PHASE_IDLE];
    double work = phases[PHASE_WORK], start = is_mere_start(evidence) ? work : 0;
    struct verdict_stretch stretch = find_stretch(evidence, kept);
    struct parts parts = {
        .wall = wall_of(evidence),
        .computing =
            stretch.computing * (phases[PHASE_FORWARD] + phases[PHASE_BACKWARD] + phases[PHASE_UPDATE] + work - start),
        .stalls = {[STALL_DATA] = stretch.others * phases[PHASE_DATA],
                   [STALL_CHECKPOINT] = stretch.others * phases[PHASE_CHECKPOINT],
                   [STALL_SYNC] = stretch.others * phases[PHASE_ALLREDUCE],
                   [STALL_EVALUATION] = stretch.computing * phases[PHASE_EVALUATION]},
        .launch = stretch.computing * (phases[PHASE_LAUNCH] + phases[PHASE_STAGE] + phases[PHASE_COMPILE] + start) +
                  (is_hand_over(idle) ? idle : 0),
        .idle = is_hand_over(idle) ? 0 : stretch.others * idle,
        .named = stretch.others * evidence->named,
        .kept = kept,
    };
    parts.all = parts.computing + parts.launch + parts.idle + (parts.named > 0 ? parts.named : 0);
    for (int i = 0; i < STALLS; i++)
        parts.all += parts.stalls[i];
    return parts;
}

/* --- figures: NAN where the rule can't hold --- */

static double figure_if(bool holds, double figure)
{
    return holds ? figure : NAN;
}

static double swapping(const struct verdict_evidence *evidence, const struct parts *parts)
{
    return at_most_all(evidence->memory_wait / parts->all);
}

static double launch(const struct verdict_evidence *evidence, const struct parts *parts)
{
    (void)evidence;
    bool is_longest = true;
    for (int i = 0; i < STALLS; i++)
        is_longest = is_longest && parts->launch >= parts->stalls[i];
    return figure_if(is_longest, parts->launch / parts->all);
}

static double throttled(const struct verdict_evidence *evidence, const struct parts *parts)
{
    return fmax(1 - evidence->clock,
                at_most_all(evidence->throttled / parts->all)); /* of NAN and a number the number */
}

/* Shorter waits for cores are as well those of a process before and behind its run: seconds. */
static const double least_wait = 0.5;

/* Cores that it used, and those that it would have used besides if others had not; NAN: not known. */
static double cores_wanted(const struct verdict_evidence *evidence, const struct parts *parts)
{
    return (evidence->cpu_seconds + evidence->core_wait) / parts->wall;
}

/* One thread never wants more than one core, however long others make it wait. */
static double oversubscribed(const struct verdict_evidence *evidence, const struct parts *parts)
{
    bool wants_more = cores_wanted(evidence, parts) > 1.25 * evidence->cores;
    return figure_if(wants_more && evidence->core_wait >= least_wait, 1 - parts->kept);
}

/* Whatever of the worker's was stopped: it was this run at most as long as its threads waited. */
static double quota(const struct verdict_evidence *evidence, const struct parts *parts)
{
    (void)parts;
    double could = evidence->cpu_seconds + evidence->core_wait,
           least = fmin(evidence->quota_stall, evidence->core_wait);
    bool is_known = !isnan(evidence->quota_stall) && evidence->core_wait >= least_wait;
    return figure_if(is_known, least / could);
}

static double crowded(const struct verdict_evidence *evidence, const struct parts *parts)
{
    return figure_if(evidence->core_wait >= least_wait, 1 - parts->kept);
}

/* Of what can stall only the longest counts. */
static double stall(const struct parts *parts, int which)
{
    for (int i = 0; i < STALLS; i++)
        if (parts->stalls[i] > parts->stalls[which])
            return NAN;
    return parts->stalls[which] / parts->all;
}

/* A program that says nothing may still be seen to wait for disks; in phases that are told it does so for those. */
static double data(const struct verdict_evidence *evidence, const struct parts *parts)
{
    double told = evidence->phases[PHASE_DATA] + evidence->phases[PHASE_CHECKPOINT];
    double untold = evidence->disk_wait > told ? evidence->disk_wait - told : 0;
    return fmax(stall(parts, STALL_DATA), at_most_all(untold / parts->all));
}

static double checkpoint(const struct verdict_evidence *evidence, const struct parts *parts)
{
    (void)evidence;
    return stall(parts, STALL_CHECKPOINT);
}

static double synchronising(const struct verdict_evidence *evidence, const struct parts *parts)
{
    (void)evidence;
    return stall(parts, STALL_SYNC);
}

/* Whether ranks are unequal: by a quarter, or by what explains the time of the sums. Of two ranks the quicker one waits
 * for twice what the slower one is behind the mean, of more for less: 0.4 of it is 0.8 of the sums of two. */
static bool are_unequal(const struct verdict_evidence *evidence)
{
    double behind = evidence->slowest - evidence->mean;
    return evidence->slowest >= 1.25 * evidence->mean || behind >= 0.4 * evidence->phases[PHASE_ALLREDUCE];
}

/* The first rank's phases show it unless that is the slowest: then the others waited on average for so long. */
static double imbalance(const struct verdict_evidence *evidence, const struct parts *parts)
{
    double lost = (evidence->slowest - evidence->mean) / parts->wall;
    return figure_if(are_unequal(evidence), fmax(stall(parts, STALL_SYNC), at_most_all(lost)));
}

static double evaluation(const struct verdict_evidence *evidence, const struct parts *parts)
{
    (void)evidence;
    return stall(parts, STALL_EVALUATION);
}

static double named(const struct verdict_evidence *evidence, const struct parts *parts)
{
    (void)evidence;
    return figure_if(parts->named > parts->computing, parts->named / parts->all);
}

/* Of what the slot can do in a second, what was done in one of processor time on each of its cores. */
static double share_of_limit(const struct verdict_evidence *evidence, double done, double limit)
{
    double seconds = evidence->cpu_seconds / evidence->cores;
    return seconds > 0 && limit > 0 ? at_most_all(done / seconds / limit) : NAN;
}

static double share_of_peak(const struct verdict_evidence *evidence)
{
    return share_of_limit(evidence, evidence->flops, evidence->peak_flops);
}

static double share_of_bandwidth(const struct verdict_evidence *evidence)
{
    return share_of_limit(evidence, evidence->bytes, evidence->bandwidth);
}

/* Starting a call, and the threads that share it, takes some microseconds of each: what has work for so long at the
 * limits is not bound by that, whatever keeps it from them. Others' use of the processor's caches does, and of the
 * other half of its cores, which on a busy machine takes half of the FLOP/s of a second of processor time, or more. */
static const double long_call = 100e-6;

static bool has_long_calls(const struct verdict_evidence *evidence)
{
    double work = fmax(evidence->flops / evidence->peak_flops, evidence->bytes / evidence->bandwidth);
    return work >= long_call * evidence->calls;
}

/* One of both shares, where it is not the smaller one and says what bounds the run: from a third on, or where calls are
 * too long for anything else. */
static double bounding(const struct verdict_evidence *evidence, double share, double other)
{
    bool is_known = share >= 1.0 / 3 || (!isnan(other) && has_long_calls(evidence));
    return figure_if(is_known && !(other > share), share);
}

static double compute(const struct verdict_evidence *evidence, const struct parts *parts)
{
    (void)parts;
    return bounding(evidence, share_of_peak(evidence), share_of_bandwidth(evidence));
}

static double memory(const struct verdict_evidence *evidence, const struct parts *parts)
{
    (void)parts;
    return bounding(evidence, share_of_bandwidth(evidence), share_of_peak(evidence));
}

/* Only where both are known: a share that is not known might be the greater one. */
static double latency(const struct verdict_evidence *evidence, const struct parts *parts)
{
    double peak = share_of_peak(evidence), bandwidth = share_of_bandwidth(evidence);
    bool is_known = evidence->flops > 0 && !isnan(peak) && !isnan(bandwidth);
    return figure_if(is_known && parts->computing > parts->all / 3, fmax(peak, bandwidth));
}

/* Cores that it would have used with nobody else there, on average. While one thread waits for a core those sleep that
 * wait for it, so that the run may have lost all of that time. One thread alone comes to no more than one core. */
static double cores_alone(const struct verdict_evidence *evidence, const struct parts *parts)
{
    double alone = parts->wall - evidence->core_wait;
    return alone > 0 ? evidence->cpu_seconds / alone : cores_wanted(evidence, parts);
}

static double underused(const struct verdict_evidence *evidence, const struct parts *parts)
{
    double cores = fmax(cores_wanted(evidence, parts), cores_alone(evidence, parts));
    return figure_if(evidence->cores >= 2 && cores < 0.6 * evidence->cores, cores); /* one of two with what it starts */
}

/* A program that says nothing, and used less than half a core. */
static double silent(const struct verdict_evidence *evidence, const struct parts *parts)
{
    double alone = cores_alone(evidence, parts), used = isnan(alone) ? evidence->cpu_seconds / parts->wall : alone;
    return figure_if(evidence->phases[PHASE_WORK] > parts->wall / 2 && used < 0.5, 1 - used);
}

static double waiting(const struct verdict_evidence *evidence, const struct parts *parts)
{
    return fmax(parts->idle / parts->all, silent(evidence, parts));
}

static double computing(const struct verdict_evidence *evidence, const struct parts *parts)
{
    (void)evidence;
    return parts->computing / parts->all;
}

/* --- the rules --- */

/* A third: without it the trial would take two thirds of its time. Less is seldom worth a person's hour. */
static const struct verdict_rule {
    enum verdict_kind kind;
    double (*figure)(const struct verdict_evidence *evidence, const struct parts *parts);
    double least;
} rules[] = {
    {VERDICT_SWAPPING, swapping, 0.1},
    {VERDICT_LAUNCH, launch, 1.0 / 3},
    {VERDICT_THROTTLED, throttled, 0.2},
    {VERDICT_QUOTA, quota, 1.0 / 3},
    {VERDICT_OVERSUBSCRIBED, oversubscribed, 1.0 / 3},
    {VERDICT_DATA, data, 1.0 / 3},
    {VERDICT_CHECKPOINT, checkpoint, 1.0 / 3},
    {VERDICT_IMBALANCE, imbalance, 1.0 / 3},
    {VERDICT_SYNC, synchronising, 1.0 / 3},
    {VERDICT_EVALUATION, evaluation, 0.5},
    {VERDICT_PROGRAM, named, 1.0 / 3},
    {VERDICT_WAITING, waiting, 1.0 / 3},
    {VERDICT_UNDERUSED, underused, 0.5},
    {VERDICT_COMPUTE, compute, 0},
    {VERDICT_MEMORY, memory, 0},
    {VERDICT_LATENCY, latency, 0},
    {VERDICT_CROWDED, crowded, 0.5},
    {VERDICT_COMPUTING, computing, 0},
};

/* What no run can have used is not known: workers, trainers and programs may say anything. */
static struct verdict_evidence believable_evidence(const struct verdict_evidence *said)
{
    static const double most = 1e18; /* seconds, operations, bytes */
    struct verdict_evidence evidence = *said;
    double *numbers = (double *)&evidence;
    for (size_t i = 0; i < sizeof evidence / sizeof *numbers; i++)
        if (!(numbers[i] >= 0 && numbers[i] <= most))
            numbers[i] = NAN;
    return evidence;
}

struct verdict verdict_find(const struct verdict_evidence *said)
{
    struct verdict_evidence evidence = believable_evidence(said);
    struct parts parts = put_together(&evidence);
    if (parts.all > 0)
        for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
            double figure = rules[i].figure(&evidence, &parts);
            if (figure >= rules[i].least)
                return (struct verdict){rules[i].kind, figure};
        }
    return (struct verdict){VERDICT_UNKNOWN, NAN};
}

/* --- words --- */

const char *verdict_name(enum verdict_kind kind)
{
    return rows[kind].name;
}

const char *verdict_when(enum verdict_kind kind)
{
    return rows[kind].when;
}

int verdict_named(const char *name)
{
    for (int i = 0; i < VERDICTS_COUNT; i++)
        if (strcmp(name, rows[i].name) == 0)
            return i;
    return -1;
}

void verdict_sentence(const struct verdict *verdict, double cores, struct buf *out)
{
    enum figure figure = !isfinite(verdict->figure) ? FIGURE_NONE : rows[verdict->kind].figure;
    if (figure == FIGURE_SHARE)
        buf_format(out, "%.0f %% ", 100 * verdict->figure);
    else if (figure == FIGURE_CORES && cores > 0 && isfinite(cores))
        buf_format(out, "the slot has %.0f cores: %.1f ", cores, verdict->figure);
    else if (figure == FIGURE_CORES)
        buf_format(out, "%.1f ", verdict->figure);
    buf_text(out, rows[verdict->kind].sentence);
}
