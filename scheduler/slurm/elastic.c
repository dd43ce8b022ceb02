/* Workers by way of Slurm; see elastic.h.
 *
 *     tick     the state of the search goes into the allocator; then a question may be asked
 *     ask      when the token bucket has one: what the allocator wants to know or to have done goes to the agent
 *     answer   written down (worker_jobs.c), and into the allocator, which may want to ask again
 *
 * Only one question is under way at a time. An answer that never comes is one: the client has a deadline. */
#include "scheduler/slurm/elastic.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/rng.h"
#include "common/set.h"
#include "common/units.h"
#include "scheduler/core/demand.h"
#include "scheduler/slurm/slurm_agent.h"
#include "scheduler/slurm/allocator.h"
#include "scheduler/slurm/token_bucket.h"
#include "scheduler/slurm/client.h"
#include "scheduler/slurm/worker_jobs.h"
#include "scheduler/slurm/refresh.h"
#include "scheduler/slurm/request.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One question in ten seconds; so many at once, so that the first workers need not wait for each other. */
enum { AT_ONCE = 6 };
static const double between_questions = 10;

/* A controller that is away takes Slurm's own MessageTimeout, 10 s as a rule, twice. */
static const double patience = 30, patience_at_end = 10;

struct elastic {
    struct elastic_setup setup;
    struct allocator *allocator;
    struct slurm_client *client;
    struct worker_jobs *jobs;
    struct token_bucket bucket;
    struct loop_watch *tick;
    double pace;           /* all times are multiplied by it */
    bool asking;           /* a question is under way */
    bool ended;            /* the session is over */
    json_t *request;       /* of the submission under way; it goes into the store */
    char *refused;         /* nodes that the search does not take workers from for now, with commas; "": none */
    bool excluding;        /* the submission under way is not to run there */
    bool anywhere;         /* one of those was refused, perhaps since nothing was left: the next may run there */
    uint32_t elements;     /* of the array that is submitted; 0: it is a single job */
    struct node_job *seen; /* workers that were connected at the last tick */
    uint32_t seen_count;
    struct set seen_jobs; /* their jobs, as key_of has them */
};

static void ask_next(struct elastic *self);

/* --- the state in a sentence --- */

/* The last line that a job wrote, where it says what is wrong. Added as "; its output ends: ..." */
static void add_last_line(const struct elastic *self, const struct allocator_state *state, struct buf *out)
{
    struct err err;
    struct buf text = {0};
    char *name = state->stopped_element == SLURM_UNSET
                     ? mem_format("slurm-%u.out", state->stopped_job)
                     : mem_format("slurm-%u_%u.out", state->stopped_job, state->stopped_element);
    char *path = path_join(self->setup.dir->logs, name);
    if (path_read(path, &text, 1 << 20, &err) == 0) {
        while (text.length && (text.data[text.length - 1] == '\n' || text.data[text.length - 1] == ' '))
            text.data[--text.length] = '\0';
        const char *newline = text.length ? strrchr(text.data, '\n') : NULL;
        buf_format(out, "; its output (logs/%s) ends: %.200s", name, newline ? newline + 1 : buf_str(&text));
    }
    buf_fini(&text);
    free(path);
    free(name);
}

/* Why there are no more workers, "" when all is well. */
static void describe_state(const struct elastic *self, const struct allocator_state *state, struct buf *out)
{
    char time[32];
    double wait = state->next - clock_monotonic();
    if (state->stopped) {
        buf_format(out, "no worker is submitted any more: %s", state->stopped);
        if (state->stopped_job)
            add_last_line(self, state, out);
    } else if (*state->failed) {
        buf_format(out, "Slurm takes no worker at present: %s", state->failed);
        if (isfinite(wait) && wait > 0)
            buf_format(out, "; next try in %s", units_show_duration(ceil(wait), time, sizeof time));
    }
}

/* Every command reads it in slurm.json; when there is nobody left to run trials, the session ends with it. */
static void report_state(struct elastic *self, uint32_t slots)
{
    struct allocator_state state;
    struct buf sentence = {0};
    allocator_get_state(self->allocator, &state);
    describe_state(self, &state, &sentence);
    worker_jobs_note(self->jobs, buf_str(&sentence));
    if (state.hopeless && !slots)
        core_no_workers(self->setup.core, clock_monotonic(), buf_str(&sentence));
    buf_fini(&sentence);
}

/* --- answers --- */

static void end_question(struct elastic *self)
{
    self->asking = false;
    ask_next(self);
}

static void on_submitted(void *context, const json_t *answer, int number, const char *error)
{
    struct elastic *self = context;
    double now = clock_monotonic();
    uint32_t id = (uint32_t)json_integer_value(json_object_get(answer, "id"));
    if (id) {
        worker_jobs_submitted(self->jobs, id, self->elements, self->request);
        allocator_submitted(self->allocator, now, id);
    } else if (number == SLURM_UNCLEAR) {
        log_warning("it is not clear whether a worker was submitted: %s", error);
        allocator_unsure(self->allocator, now, error);
    } else {
        const char *why = error ? error : "Slurm gave the job no number";
        log_warning("a worker could not be submitted: %s", why);
        self->anywhere = self->excluding;
        allocator_refused(self->allocator, now, why);
    }
    json_decref(self->request);
    self->request = NULL;
    end_question(self);
}

/* Jobs of an answer, written down; false, and the allocator told so, when there is none. */
static bool take_jobs(struct elastic *self, const json_t *answer, const char *error, bool whole, struct slurm_jobs *out)
{
    struct err err;
    if (answer && slurm_jobs_read(answer, out, &err) == 0) {
        worker_jobs_update(self->jobs, out, whole);
        return true;
    }
    log_warning("Slurm did not say how the jobs stand: %s", error ? error : err.text);
    allocator_unanswered(self->allocator, clock_monotonic());
    return false;
}

static void on_found(void *context, const json_t *answer, int number, const char *error)
{
    struct elastic *self = context;
    struct slurm_jobs jobs = {0};
    (void)number;
    if (take_jobs(self, answer, error, true, &jobs)) {
        worker_jobs_filter(self->jobs, &jobs);
        allocator_found(self->allocator, clock_monotonic(), &jobs);
    }
    slurm_jobs_fini(&jobs);
    end_question(self);
}

static void on_inspected(void *context, const json_t *answer, int number, const char *error)
{
    struct elastic *self = context;
    struct slurm_jobs jobs = {0};
    (void)number;
    if (take_jobs(self, answer, error, false, &jobs))
        allocator_inspected(self->allocator, clock_monotonic(), &jobs);
    slurm_jobs_fini(&jobs);
    end_question(self);
}

static void on_cancelled(void *context, const json_t *answer, int number, const char *error)
{
    struct elastic *self = context;
    (void)number;
    if (answer)
        allocator_cancelled(self->allocator, clock_monotonic());
    else {
        log_warning("a job could not be taken back: %s", error);
        allocator_unanswered(self->allocator, clock_monotonic());
    }
    end_question(self);
}

/* --- questions --- */

/* A worker that came from one of these nodes would be sent away again. */
static void exclude_refused(struct elastic *self, struct slurm_request *request)
{
    char *before = request->exclude;
    self->excluding = *self->refused && !self->anywhere;
    self->anywhere = false;
    if (!self->excluding)
        return;
    request->exclude = mem_format("%s%s%s", before ? before : "", before ? "," : "", self->refused);
    free(before);
    log_info("a worker is submitted that is not to run on %s: trials fail there alone", self->refused);
}

/* What a worker is asked for. NULL with a sentence. */
static json_t *make_request(struct elastic *self, uint32_t elements, struct err *err)
{
    struct slurm_request request;
    struct slurm_order order = {.spec = self->setup.spec,
                                .rundir = self->setup.dir->path,
                                .comment = worker_jobs_comment(self->jobs),
                                .now = clock_wall()};
    if (slurm_request_make(&order, SLURM_ROLE_WORKER, elements, &request, NULL, err))
        return NULL;
    exclude_refused(self, &request);
    json_t *question = slurm_ask_submit(&request);
    slurm_request_fini(&request);
    return question;
}

static void submit_workers(struct elastic *self, const struct allocator_order *order)
{
    struct err err;
    json_t *question = make_request(self, order->count, &err);
    if (!question) {
        allocator_refused(self->allocator, clock_monotonic(), err.text);
        self->asking = false;
        return;
    }
    self->request = json_incref(json_object_get(question, "request"));
    self->elements = order->count;
    slurm_client_ask(self->client, question, patience, on_submitted, self);
}

static void carry_out(struct elastic *self, const struct allocator_order *order)
{
    double seconds = self->ended ? patience_at_end : patience;
    self->asking = true;
    switch (order->question) {
    case ALLOCATOR_SUBMIT:
        submit_workers(self, order);
        break;
    case ALLOCATOR_CANCEL:
        log_info("job %s is taken back", order->which);
        slurm_client_ask(self->client, slurm_ask_cancel(order->which, 0), seconds, on_cancelled, self);
        break;
    case ALLOCATOR_FIND:
        slurm_client_ask(self->client, slurm_ask_find(worker_jobs_comment(self->jobs)), seconds, on_found, self);
        break;
    case ALLOCATOR_INSPECT:
        slurm_client_ask(self->client, slurm_ask_job(order->id), seconds, on_inspected, self);
        break;
    }
}

/* The one place that lets questions through. At the end there are few left, and nobody waits for tokens. */
static void ask_next(struct elastic *self)
{
    struct allocator_order order;
    double now = clock_monotonic();
    if (self->asking || allocator_wake(self->allocator, now) > now)
        return;
    if (!self->ended && !token_bucket_take(&self->bucket, now))
        return;
    if (allocator_next(self->allocator, now, &order))
        carry_out(self, &order);
}

/* --- ticks --- */

static void note_refused(struct elastic *self, struct demand *demand)
{
    free(self->refused);
    self->refused = mem_text(buf_str(&demand->refused));
}

static uint64_t key_of(struct node_job job)
{
    return rng_mix(job.job, job.element);
}

/* The jobs of all workers that are connected. */
static struct set jobs_of(const struct demand *demand)
{
    struct set jobs = {0};
    for (uint32_t i = 0; i < demand->worker_count; i++)
        set_add(&jobs, key_of(demand->workers[i].job));
    return jobs;
}

/* That a worker is here says that its job runs, before Slurm is asked. */
static void see_workers(struct elastic *self, const struct demand *demand)
{
    for (uint32_t i = 0; i < demand->worker_count; i++)
        if (!set_has(&self->seen_jobs, key_of(demand->workers[i].job)))
            worker_jobs_runs(self->jobs, demand->workers[i].job, demand->workers[i].node);
    self->seen = mem_resize(self->seen, demand->worker_count + 1, sizeof *self->seen);
    self->seen_count = demand->worker_count;
    for (uint32_t i = 0; i < demand->worker_count; i++)
        self->seen[i] = demand->workers[i].job;
    set_fini(&self->seen_jobs);
    self->seen_jobs = jobs_of(demand);
}

static void update_allocator(struct elastic *self, const struct demand *demand)
{
    struct allocator_worker *workers = MEM_ARRAY(struct allocator_worker, demand->worker_count + 1);
    for (uint32_t i = 0; i < demand->worker_count; i++)
        workers[i] = (struct allocator_worker){.job = demand->workers[i].job.job,
                                               .element = demand->workers[i].job.element,
                                               .slots = demand->workers[i].slots,
                                               .busy = demand->workers[i].busy};
    struct allocator_view view = {
        .wanted = demand->wanted, .slots = demand->slots, .workers = workers, .worker_count = demand->worker_count};
    allocator_update(self->allocator, clock_monotonic(), &view);
    free(workers);
}

/* A session that another one goes on from leaves the queue as it is: the next one takes it on. */
static bool leaves_the_queue(const struct demand *demand)
{
    return demand->state != EXPERIMENT_RUNNING &&
           (demand->reason == REASON_WALLTIME || demand->reason == REASON_PREEMPTED);
}

static void tick_elastic(void *context)
{
    struct elastic *self = context;
    struct demand demand;
    core_demand(self->setup.core, &demand);
    if (self->ended)
        ask_next(self);
    else if (!leaves_the_queue(&demand)) {
        see_workers(self, &demand);
        note_refused(self, &demand);
        update_allocator(self, &demand);
        ask_next(self);
        report_state(self, demand.slots);
    }
    demand_fini(&demand);
    loop_move(self->tick, fmax(0.05, fmin(1, self->pace)));
}

/* --- life --- */

static double pace_of(const char *text)
{
    double pace;
    return text && units_number(text, &pace) && pace > 0 && pace <= 1 ? pace : 1;
}

static void configure_allocator(const struct spec_slurm *slurm, double pace, struct allocator_config *out)
{
    allocator_config_defaults(out, pace);
    out->array = slurm->shape == SHAPE_ARRAY;
    out->workers = slurm->workers;
    out->per_job = slurm->workers_per_node;
    out->backlog = slurm->backlog;
}

struct elastic *elastic_start(const struct elastic_setup *setup, struct err *err)
{
    struct elastic *self = MEM_NEW(struct elastic);
    struct allocator_config config;
    double now = clock_monotonic();
    self->setup = *setup;
    self->refused = mem_text("");
    self->pace = pace_of(getenv("GANNET_SLURM_PACE"));
    configure_allocator(&setup->spec->slurm, self->pace, &config);
    self->allocator = allocator_create(&config, now);
    self->client = slurm_client_create(setup->loop, NULL);
    self->jobs = worker_jobs_open(setup->loop, setup->dir, setup->core, self->allocator, err);
    token_bucket_init(&self->bucket, now, between_questions * self->pace, AT_ONCE);
    if (!self->jobs) {
        elastic_stop(self);
        return NULL;
    }
    self->tick = loop_timer(setup->loop, 0, tick_elastic, self);
    return self;
}

void elastic_end(struct elastic *self)
{
    struct demand demand;
    core_demand(self->setup.core, &demand);
    self->ended = true;
    if (!leaves_the_queue(&demand))
        allocator_end(self->allocator, clock_monotonic());
    demand_fini(&demand);
    ask_next(self);
}

bool elastic_is_done(const struct elastic *self)
{
    return !self->asking && isinf(allocator_wake(self->allocator, clock_monotonic()));
}

void elastic_settle(struct elastic *self)
{
    struct demand demand;
    core_demand(self->setup.core, &demand);
    struct set here = jobs_of(&demand);
    for (uint32_t i = 0; i < self->seen_count; i++)
        if (!set_has(&here, key_of(self->seen[i])))
            worker_jobs_left(self->jobs, self->seen[i]);
    set_fini(&here);
    self->seen_count = 0;
    demand_fini(&demand);
}

void elastic_stop(struct elastic *self)
{
    if (!self)
        return;
    loop_remove(self->tick);
    slurm_client_destroy(self->client);
    allocator_destroy(self->allocator);
    worker_jobs_close(self->jobs);
    json_decref(self->request);
    set_fini(&self->seen_jobs);
    free(self->seen);
    free(self->refused);
    free(self);
}
