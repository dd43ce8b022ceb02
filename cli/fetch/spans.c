/* When and where attempts ran; see spans.h. */
#include "cli/fetch/spans.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum span_class class_of(const struct attempt *attempt)
{
    static const struct {
        const char *state;
        enum span_class class;
    } classes[] = {{"completed", SPAN_COMPLETED}, {"stopped", SPAN_STOPPED}, {"failed", SPAN_FAILED},
                   {"cancelled", SPAN_CANCELLED}, {"paused", SPAN_PAUSED},   {"waiting", SPAN_CUT}};
    if (isnan(attempt->seconds))
        return SPAN_RUNNING;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strcmp(attempt->state, classes[i].state) == 0)
            return classes[i].class;
    return SPAN_CUT; /* its end was never told */
}

static float seconds_of(double seconds)
{
    return seconds >= 0 ? (float)fmin(seconds, 1e9) : 0;
}

void spans_add(struct spans *spans, const struct attempt *attempt)
{
    struct span span = {.started = attempt->started,
                        .seconds = isnan(attempt->seconds) ? NAN : seconds_of(attempt->seconds),
                        .queue = seconds_of(attempt->queue),
                        .launch = seconds_of(attempt->launch),
                        .stage = seconds_of(attempt->stage),
                        .trial = (uint32_t)attempt->trial,
                        .worker = (uint32_t)attempt->worker,
                        .slot = (uint16_t)attempt->slot,
                        .attempt = (uint8_t)(attempt->attempt < UINT8_MAX ? attempt->attempt : UINT8_MAX),
                        .class = (uint8_t)class_of(attempt)};
    double end = span_end(&span, span.started);
    bool first = !spans->count;
    MEM_GROW(spans->items, spans->capacity, spans->count + 1);
    spans->items[spans->count++] = span;
    spans->first = first ? span.started : fmin(spans->first, span.started);
    spans->last = first ? end : fmax(spans->last, end);
    if (first || attempt->told < spans->oldest) {
        spans->oldest = attempt->told;
        spans->since = end;
    } else if (attempt->told == spans->oldest)
        spans->since = fmax(spans->since, end);
}

void spans_fini(struct spans *spans)
{
    free(spans->items);
    *spans = (struct spans){0};
}

double span_end(const struct span *span, double now)
{
    return isnan(span->seconds) ? fmax(now, span->started) : span->started + (double)span->seconds;
}

double span_overlap(const struct span *span, double from, double to, double now)
{
    return fmax(fmin(span_end(span, now), to) - fmax(span->started, from), 0);
}
