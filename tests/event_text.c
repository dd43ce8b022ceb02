/* Events as lines; see event_text.h. */
#include "tests/event_text.h"

#include <stdio.h>

/* --- printing --- */

static void print_sample(struct buf *out, const struct msg_sample *sample)
{
    buf_format(out, " %s@%lld=%g(%g)", sample->metric, (long long)sample->step, sample->value, sample->time);
}

static void print_slot(struct buf *out, const struct msg_slot *slot)
{
    buf_format(out, " %u(%s;%s;%s;%llu)", slot->index, slot->cpus, slot->numa, slot->gpus,
               (unsigned long long)slot->memory);
}

static void print_named(struct buf *out, const struct msg_named *named)
{
    buf_format(out, " %s:%g/%llu/%g/%g", named->name, named->seconds, (unsigned long long)named->count, named->min,
               named->max);
}

static void print_operation(struct buf *out, const struct msg_operation *one)
{
    buf_format(out, " %u:%llu/%g/%g/%llu/%g/%g/%g", one->operation, (unsigned long long)one->calls, one->flops,
               one->bytes, (unsigned long long)one->timed, one->seconds, one->min, one->max);
}

static void print_gpu_sum(struct buf *out, const struct msg_gpu_sum *one)
{
    buf_format(out, " %s:%llu/%g/%g/%g/%g", one->name, (unsigned long long)one->calls, one->bytes, one->seconds,
               one->min, one->max);
}

static void print_real(struct buf *out, const double *number)
{
    buf_format(out, " %g", *number);
}

static void print_counters(struct buf *out, const struct run_counters *counters)
{
    for (unsigned i = 0; counters && i < RUN_COUNTERS_COUNT; i++)
        if (counters->values[i] >= 0)
            buf_format(out, " %s:%g", run_counter_name(i), counters->values[i]);
}

static void print_profile(struct buf *out, const struct phase_time *profile)
{
    for (int phase = 0; profile && phase < PHASES_COUNT; phase++)
        if (profile[phase].count)
            buf_format(out, " %s:%g/%llu", phase_name((enum phase)phase), profile[phase].seconds,
                       (unsigned long long)profile[phase].count);
}

static void print_msg_hello(struct buf *out, const struct msg_hello *hello)
{
    buf_format(out, " node=%s pid=%u version=%s machine=%s", hello->node, hello->pid, hello->version, hello->machine);
}

#define PRINT_U32(at)      buf_format(out, "%u", at);
#define PRINT_U64(at)      buf_format(out, "%llu", (unsigned long long)at);
#define PRINT_F64(at)      buf_format(out, "%g", at);
#define PRINT_BOOL(at)     buf_format(out, "%d", at);
#define PRINT_ENDING(at)   buf_text(out, ending_name(at));
#define PRINT_ACTION(at)   buf_format(out, "%d", (int)at);
#define PRINT_STATE(at)    buf_text(out, experiment_state_name(at));
#define PRINT_REASON(at)   buf_text(out, reason_name(at));
#define PRINT_TEXT(at)     buf_format(out, "'%s'", at ? at : "");
#define PRINT_MAYBE(at)    PRINT_TEXT(at)
#define PRINT_COUNTERS(at) print_counters(out, at);
#define PRINT_PROFILE(at)  print_profile(out, at);
#define PRINT_SAMPLE       print_sample
#define PRINT_SLOT         print_slot
#define PRINT_OPERATION    print_operation
#define PRINT_GPU_SUM      print_gpu_sum
#define PRINT_NAMED        print_named
#define PRINT_REAL         print_real

#define PAYLOAD(type, member)                                                                                          \
    static void print_##type(struct buf *out, const struct type *payload)                                              \
    {
#define FIELD(owner, type, name, help)                                                                                 \
    buf_text(out, " " #name "=");                                                                                      \
    PRINT_##type(payload->name)
#define LIST(owner, type, name, help)                                                                                  \
    buf_text(out, " " #name ":");                                                                                      \
    for (uint32_t i = 0; i < payload->name##_count; i++)                                                               \
        PRINT_##type(out, &payload->name[i]);
#define PART(owner, other, name) print_##other(out, &payload->name);
#define BORROWED(type, member)
#define END(type) }
#include "scheduler/core/event_list.h"

void event_print(const struct event *event, struct buf *out)
{
    static const char *const kinds[] = {
#define X(KIND, name, payload, member, said, help) #KIND,
        EVENTS(X)
#undef X
    };
    buf_format(out, "%s trial=%llu attempt=%u worker=%llu", kinds[event->kind], (unsigned long long)event->trial,
               event->attempt, (unsigned long long)event->worker);
    switch (event->kind) {
#define X(KIND, name, payload, member, said, help)                                                                     \
    case EVENT_##KIND:                                                                                                 \
        print_##payload(out, &event->member);                                                                          \
        break;
        EVENTS(X)
#undef X
    case EVENT_KINDS:
        break;
    }
}

/* --- making --- */

static const char *make_text(struct arena *memory, uint32_t start)
{
    char text[32];
    snprintf(text, sizeof text, "text %u", start);
    return arena_text(memory, text);
}

static struct msg_sample make_sample(struct arena *memory, uint32_t start)
{
    return (struct msg_sample){make_text(memory, start), start + 1, start + 2, start + 3};
}

static struct msg_slot make_slot(struct arena *memory, uint32_t start)
{
    return (struct msg_slot){
        start,     make_text(memory, start + 1), make_text(memory, start + 2), make_text(memory, start + 3), start + 4,
        start + 5, make_text(memory, start + 6)};
}

static struct msg_named make_named(struct arena *memory, uint32_t start)
{
    return (struct msg_named){
        make_text(memory, start), start + 1, start + 2, start + 3, start + 4, start + 5, start + 6};
}

static struct msg_operation make_operation(struct arena *memory, uint32_t start)
{
    (void)memory;
    return (struct msg_operation){start, start + 1, start + 2, start + 3, start + 4, start + 5, start + 6, start + 7};
}

static struct msg_gpu_sum make_gpu_sum(struct arena *memory, uint32_t start)
{
    return (struct msg_gpu_sum){make_text(memory, start), start + 1, start + 2, start + 3, start + 4, start + 5};
}

static double make_real(struct arena *memory, uint32_t start)
{
    (void)memory;
    return start;
}

static const struct run_counters *make_counters(struct arena *memory, uint32_t start)
{
    struct run_counters *counters = arena_zero(memory, 1, sizeof *counters);
    for (unsigned i = 0; i < RUN_COUNTERS_COUNT; i++)
        counters->values[i] = start + i;
    return counters;
}

static const struct phase_time *make_profile(struct arena *memory, uint32_t start)
{
    struct phase_time *profile = arena_zero(memory, PHASES_COUNT, sizeof *profile);
    for (uint32_t phase = 0; phase < PHASES_COUNT; phase++)
        profile[phase] = (struct phase_time){.seconds = start + phase, .count = 1 + phase, .min = 1, .max = 2};
    return profile;
}

static void make_msg_hello(struct msg_hello *hello, uint32_t *start, struct arena *memory)
{
    *hello = (struct msg_hello){.node = make_text(memory, ++*start),
                                .pid = ++*start,
                                .version = make_text(memory, ++*start),
                                .machine = make_text(memory, ++*start)};
}

#define MAKE_U32       ++*start
#define MAKE_U64       ++*start
#define MAKE_F64       ++*start
#define MAKE_BOOL      true
#define MAKE_ENDING    (enum ending)(++*start % ENDINGS_COUNT)
#define MAKE_ACTION    EARLY_STOP_PAUSE
#define MAKE_STATE     EXPERIMENT_ENDED
#define MAKE_REASON    (enum reason)(++*start % REASONS_COUNT)
#define MAKE_TEXT      make_text(memory, ++*start)
#define MAKE_MAYBE     make_text(memory, ++*start)
#define MAKE_COUNTERS  make_counters(memory, ++*start)
#define MAKE_PROFILE   make_profile(memory, ++*start)
#define MAKE_SAMPLE    make_sample
#define MAKE_SLOT      make_slot
#define MAKE_OPERATION make_operation
#define MAKE_GPU_SUM   make_gpu_sum
#define MAKE_NAMED     make_named
#define MAKE_REAL      make_real

enum { LISTED = 3 };

#define PAYLOAD(type, member)                                                                                          \
    static void make_##type(struct type *payload, uint32_t *start, struct arena *memory)                               \
    {                                                                                                                  \
        (void)memory;
#define FIELD(owner, type, name, help) payload->name = MAKE_##type;
#define LIST(owner, type, name, help)                                                                                  \
    {                                                                                                                  \
        EVENT_TYPE_##type *list = arena_zero(memory, LISTED, sizeof *list);                                            \
        for (uint32_t i = 0; i < LISTED; i++)                                                                          \
            list[i] = MAKE_##type(memory, *start += 10);                                                               \
        payload->name = list;                                                                                          \
        payload->name##_count = LISTED;                                                                                \
    }
#define PART(owner, other, name) make_##other(&payload->name, start, memory);
#define BORROWED(type, member)
#define END(type) }
#include "scheduler/core/event_list.h"

struct event event_sample(enum event_kind kind, uint32_t start, struct arena *memory)
{
    struct event event = {.kind = kind, .trial = start, .attempt = start + 1, .worker = start + 2};
    switch (kind) {
#define X(KIND, name, payload, member, said, help)                                                                     \
    case EVENT_##KIND:                                                                                                 \
        make_##payload(&event.member, &start, memory);                                                                 \
        break;
        EVENTS(X)
#undef X
    case EVENT_KINDS:
        break;
    }
    return event;
}
