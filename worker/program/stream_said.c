/* What was said on a run's stream so far; see stream_said.h. */
#include "worker/program/stream_said.h"
#include "common/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stream_metric {
    char *name;
    int64_t last;
};

void stream_said_fini(struct stream_said *said)
{
    for (size_t i = 0; i < said->metric_count; i++)
        free(said->metrics[i].name);
    free(said->metrics);
    free(said->printed);
    *said = (struct stream_said){0};
}

/* --- metrics --- */

static struct stream_metric *find_metric(const struct stream_said *said, const char *name)
{
    for (size_t i = 0; i < said->metric_count; i++)
        if (strcmp(said->metrics[i].name, name) == 0)
            return &said->metrics[i];
    return NULL;
}

static bool was_printed(const struct stream_said *said, const char *name, int64_t step)
{
    size_t count = said->printed_count < STREAM_SAID_PRINTED ? said->printed_count : STREAM_SAID_PRINTED;
    for (size_t i = 0; i < count; i++)
        if (said->printed[i].step == step && strcmp(said->printed[i].name, name) == 0)
            return true;
    return false;
}

bool stream_said_metric(struct stream_said *said, const char *name, int64_t *step)
{
    struct stream_metric *metric = find_metric(said, name);
    if (!metric && said->metric_count == STREAM_SAID_METRICS)
        return false;
    if (!metric) {
        MEM_GROW(said->metrics, said->metric_capacity, said->metric_count + 1);
        metric = &said->metrics[said->metric_count++];
        *metric = (struct stream_metric){.name = mem_text(name)};
    }
    metric->last = *step >= 0 ? *step : metric->last + 1;
    *step = was_printed(said, name, metric->last) ? -1 : metric->last;
    return true;
}

bool stream_said_printed(struct stream_said *said, const char *name, int64_t step)
{
    if (find_metric(said, name))
        return false;
    if (!said->printed)
        said->printed = mem_zero(STREAM_SAID_PRINTED, sizeof *said->printed);
    size_t place = said->printed_count++ % STREAM_SAID_PRINTED;
    snprintf(said->printed[place].name, sizeof said->printed[place].name, "%s", name);
    said->printed[place].step = step;
    return true;
}

/* --- phases --- */

/* The place of a phase that has begun; of "" a free one; -1: there is none. */
static int find_phase(const struct stream_said *said, const char *name)
{
    for (int i = 0; i < STREAM_SAID_PHASES; i++)
        if (strcmp(said->phases[i].name, name) == 0)
            return i;
    return -1;
}

static void end_phase(struct stream_said *said, int place, double now, double *seconds)
{
    *seconds = now > said->phases[place].since ? now - said->phases[place].since : 0;
    *said->phases[place].name = '\0';
}

bool stream_said_begin(struct stream_said *said, const char *name, double now)
{
    int place = find_phase(said, name);
    place = place < 0 ? find_phase(said, "") : place;
    if (place < 0)
        return false;
    snprintf(said->phases[place].name, sizeof said->phases[place].name, "%s", name);
    said->phases[place].since = now;
    return true;
}

bool stream_said_end(struct stream_said *said, const char *name, double now, double *seconds)
{
    int place = find_phase(said, name);
    if (place < 0)
        return false;
    end_phase(said, place, now, seconds);
    return true;
}

bool stream_said_end_any(struct stream_said *said, double now, char *out, double *seconds)
{
    for (int i = 0; i < STREAM_SAID_PHASES; i++)
        if (*said->phases[i].name) {
            snprintf(out, PHASE_NAME_LONGEST + 1, "%s", said->phases[i].name);
            end_phase(said, i, now, seconds);
            return true;
        }
    return false;
}
