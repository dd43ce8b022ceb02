/* An export that is kept up to date.
 *
 *     the first pass: every trial; the files get their names
 *     every few seconds: those that had not ended, new ones, and ended ones that a person ignored or reopened
 *     the experiment has ended, or a signal: a last pass, or none
 *
 * A pass that fails is dropped, and its trials come again in the next one. Who looks rests ten times as long as a look
 * takes, whatever was asked for. */
#include "cli/export/export.h"
#include "cli/json.h"
#include "cli/status.h"
#include "common/clock.h"
#include "common/endings.h"

#include <stdlib.h>
#include <string.h>

enum { REST = 10, LONGEST_TROUBLE = 100 }; /* times the length of a look; looks in a row that may fail */

/* What is known after a pass. */
struct follow_reach {
    uint64_t last;  /* the highest number that was seen */
    json_t *living; /* numbers of trials that had not ended, and of those that are to be put again */
    int64_t event;  /* the last event that was seen */
};

struct following {
    struct export export;
    const struct exporter *exporter;
    const struct export_options *options;
    struct export_sum *sum;
    struct source *own; /* opened here, since a coordinator may come or go; NULL: the caller's is used */
    struct follow_reach reach;
    struct follow_reach next; /* of the pass that goes on */
    bool begun;               /* the exporter has a state, */
    bool settled;             /* of which something was settled */
    bool looked;              /* the first pass is done */
    bool waits;               /* it was said that no coordinator runs */
    bool written;             /* what is written all at once was, */
    double run_seconds;       /* with attempts of so many seconds */
};

static void reach_init(struct follow_reach *reach)
{
    *reach = (struct follow_reach){.living = json_array()};
}

static void reach_fini(struct follow_reach *reach)
{
    json_decref(reach->living);
    *reach = (struct follow_reach){0};
}

/* --- a pass --- */

static int put_trial(void *context, json_t *trial, struct err *err)
{
    struct following *self = context;
    uint64_t number = (uint64_t)json_integer_value(json_object_get(trial, "trial"));
    bool ended = trial_state_name_is_end(json_text(trial, "state"));
    if (export_is_told_to_end(0)) {
        self->sum->interrupted = true;
        return err_set(err, "interrupted");
    }
    if (number > self->next.last)
        self->next.last = number;
    if (!ended)
        json_array_append_new(self->next.living, json_integer((json_int_t)number));
    return self->exporter->appends && !ended ? 0 : self->exporter->put(&self->export, trial, err);
}

/* What happened to a trial twice since the last look is put once. */
static void add_once(json_t *numbers, json_t *trial)
{
    size_t index;
    const json_t *number;
    json_array_foreach(numbers, index, number) if (json_equal(number, trial)) return;
    json_array_append(numbers, trial);
}

/* Trials that ended long ago and are others now. */
static int look_at_events(struct following *self, struct err *err)
{
    size_t index;
    json_t *event, *events = source_read(self->export.source, "events",
                                         json_pack("{s:I}", "after", (json_int_t)self->next.event), err);
    json_array_foreach(events, index, event)
    {
        const char *kind = json_text(event, "kind");
        json_t *trial = json_object_get(event, "trial");
        self->next.event = json_integer_value(json_object_get(event, "id"));
        if (!json_is_integer(trial) || (strcmp(kind, "ignored") != 0 && strcmp(kind, "reopened") != 0))
            continue;
        if (json_integer_value(trial) > (json_int_t)self->reach.last)
            continue; /* it is new all the same */
        self->export.again |= self->exporter->appends && strcmp(self->export.path, "-") != 0;
        add_once(self->reach.living, trial);
    }
    json_decref(events);
    return events ? 0 : -1;
}

/* The trials that may be others than when they were last put, and new ones. */
static int put_changes(struct following *self, struct err *err)
{
    bool curve = self->exporter->curves || self->export.samples;
    struct trial_query living = {.numbers = self->reach.living, .curve = curve},
                       later = {.after = self->reach.last, .curve = curve};
    self->next.last = self->reach.last;
    if (json_array_size(self->reach.living) && source_each_trial(self->export.source, &living, put_trial, self, err))
        return -1;
    return source_each_trial(self->export.source, &later, put_trial, self, err);
}

static void end_state(struct following *self)
{
    if (self->begun)
        self->exporter->end(&self->export);
    self->begun = false;
}

/* From the beginning, unless that has been. */
static int begin_anew(struct following *self, struct err *err)
{
    if (self->begun && !self->export.again)
        return 0;
    end_state(self);
    self->export.again = false;
    self->reach.last = 0;
    json_array_clear(self->reach.living);
    self->settled = false;
    self->begun = self->exporter->begin(&self->export, err) == 0;
    return self->begun ? 0 : -1;
}

/* All at once, if any attempt has ended since. */
static int write_all(struct following *self, struct err *err)
{
    double seconds = 0;
    json_number(self->export.experiment, "run_seconds", &seconds);
    if (self->written && seconds == self->run_seconds)
        return 0;
    self->run_seconds = seconds;
    self->written = self->exporter->write(&self->export, err) == 0;
    return self->written ? 0 : -1;
}

static int put_all(struct following *self, struct err *err)
{
    if (self->exporter->write)
        return write_all(self, err);
    self->next.event = self->reach.event;
    if (look_at_events(self, err) || begin_anew(self, err) || put_changes(self, err))
        return -1;
    if (self->export.again) { /* a column that was not known: once more, with it */
        json_array_clear(self->next.living);
        if (begin_anew(self, err) || put_changes(self, err))
            return -1;
    }
    if (self->exporter->settle(&self->export, err))
        return -1;
    self->settled = true;
    return 0;
}

/* Half of a pass is in it. */
static void drop_pass(struct following *self)
{
    reach_fini(&self->next);
    if (self->begun && self->exporter->drop && self->settled)
        self->exporter->drop(&self->export);
    else
        end_state(self);
}

/* One look: 0, and what was reached counts; -1 with a sentence, and it is as if there had been none. */
static int look_at_trials(struct following *self, struct err *err)
{
    reach_init(&self->next);
    if (put_all(self, err)) {
        export_advise(&self->export, err);
        drop_pass(self);
        return -1;
    }
    reach_fini(&self->reach);
    self->reach = self->next;
    self->next = (struct follow_reach){0};
    self->sum->trials = self->reach.last;
    return 0;
}

/* --- again and again --- */

/* The experiment as it is now; 1 when it has ended, 0, or -1 with a sentence. */
static int look_at_experiment(struct following *self, struct err *err)
{
    struct source *source = NULL;
    if (source_open_dir(source_dir(self->export.source), &source, err))
        return -1;
    json_t *experiment = source_read(source, "experiment", NULL, err);
    if (!experiment) {
        source_close(source);
        return -1;
    }
    source_close(self->own);
    self->export.source = self->own = source;
    json_decref((json_t *)self->export.experiment);
    self->export.experiment = experiment;
    bool ended = strcmp(json_text(experiment, "state"), "ended") == 0;
    if (!ended && !source_lives(source) && !source_is_hidden(source) && !self->waits) {
        self->waits = true;
        self->options->tell(self->options->context,
                            "no coordinator runs the experiment now; what comes when it goes on is written then");
    }
    return ended;
}

/* The experiment and its trials: 1 when it has ended, 0, or -1 with a sentence. */
static int look_once(struct following *self, struct err *err)
{
    int ended = look_at_experiment(self, err);
    return ended < 0 || look_at_trials(self, err) ? -1 : ended;
}

/* Until it has ended, or somebody wants us to; the first look has to succeed. */
static int follow_experiment(struct following *self, struct err *err)
{
    unsigned troubles = 0;
    for (;;) {
        double began = clock_monotonic();
        int ended = look_once(self, err);
        double took = clock_monotonic() - began, every = self->options->every;
        if (self->sum->interrupted)
            return self->looked ? 0 : -1;
        if (ended < 0 && (!self->looked || ++troubles == LONGEST_TROUBLE))
            return -1;
        if (ended < 0 && troubles == 1)
            self->options->tell(self->options->context, err->text);
        troubles = ended < 0 ? troubles : 0;
        self->looked = self->looked || ended >= 0;
        if (ended > 0 || export_is_told_to_end(every > REST * took ? every : REST * took))
            return 0;
    }
}

int export_follow(struct source *source, const struct exporter *exporter, const struct export_options *options,
                  struct export_sum *out, struct err *err)
{
    struct following self = {.exporter = exporter, .options = options, .sum = out};
    *out = (struct export_sum){0};
    reach_init(&self.reach);
    int status = export_open(source, exporter, options, &self.export, err);
    self.export.follows = true;
    if (!status && follow_experiment(&self, err))
        status = out->interrupted ? STATUS_INTERRUPTED : STATUS_FAILED;
    end_state(&self);
    reach_fini(&self.reach);
    out->note = self.export.note;
    self.export.note = NULL;
    export_close(&self.export);
    source_close(self.own);
    return status;
}
