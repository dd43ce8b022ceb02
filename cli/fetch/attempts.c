/* A walk over attempts; see attempts.h. */
#include "cli/fetch/attempts.h"
#include "common/json.h"

#include <math.h>

/* Trials that are read at once: a few tenths of a second at most. */
enum { PAGE = 10000 };

static uint64_t number_at(const json_t *row, size_t at)
{
    return (uint64_t)json_integer_value(json_array_get(row, at));
}

static double real_at(const json_t *row, size_t at)
{
    double number;
    return json_to_finite(json_array_get(row, at), &number) ? number : NAN;
}

static const char *text_at(const json_t *row, size_t at)
{
    const char *text = json_string_value(json_array_get(row, at));
    return text ? text : "";
}

/* A row of reader_attempts; false: its trial had no attempt. */
static bool take_attempt(const json_t *row, struct attempt *out)
{
    *out = (struct attempt){.told = number_at(row, 0),
                            .trial = number_at(row, 1),
                            .attempt = number_at(row, 2),
                            .part = (uint32_t)number_at(row, 3),
                            .worker = number_at(row, 4),
                            .slot = (uint32_t)number_at(row, 5),
                            .started = real_at(row, 6),
                            .seconds = real_at(row, 7),
                            .reason = text_at(row, 8),
                            .state = text_at(row, 9),
                            .cpu_seconds = real_at(row, 10),
                            .peak_memory = real_at(row, 11),
                            .gpu_use = real_at(row, 12),
                            .queue = real_at(row, 13),
                            .launch = real_at(row, 14),
                            .stage = real_at(row, 15)};
    return json_is_integer(json_array_get(row, 4)) && isfinite(out->started);
}

/* --- pages --- */

/* What a page came to. */
struct attempts_page {
    uint64_t trials, least, most; /* told, of living ones their numbers */
    json_int_t reopened;
};

static void note_trial(struct attempts_page *page, uint64_t place)
{
    if (page->trials && (place == page->most || place == page->least))
        return;
    page->trials++;
    if (page->trials == 1 || place > page->most)
        page->most = place;
    if (page->trials == 1 || place < page->least)
        page->least = place;
}

/* Reads a page and visits its attempts, unless ended trials were reopened since. -1 with a sentence. */
static int read_page(struct source *source, json_t *arguments, const struct attempts *attempts,
                     const struct attempts_visitor *visitor, struct attempts_page *page, struct err *err)
{
    size_t index;
    json_t *row, *answer = source_read(source, "attempts", arguments, err);
    struct attempt attempt;
    *page = (struct attempts_page){.reopened = json_integer_value(json_object_get(answer, "reopened"))};
    if (!answer)
        return -1;
    bool holds = !attempts || !attempts->begun || attempts->reopened == page->reopened;
    json_array_foreach(json_object_get(answer, "attempts"), index, row)
    {
        bool ran = take_attempt(row, &attempt);
        note_trial(page, attempts ? attempt.told : attempt.trial);
        if (ran && holds)
            visitor->visit(visitor->context, &attempt);
    }
    json_decref(answer);
    return 0;
}

static json_t *page_arguments(const char *end, uint64_t place, uint64_t limit, bool alive)
{
    return json_pack("{s:I, s:I, s:b}", end, (json_int_t)place, "limit", (json_int_t)limit, "alive", (int)alive);
}

static int begin_visit(struct attempts *attempts, struct source *source, uint64_t back,
                       const struct attempts_visitor *visitor, struct err *err)
{
    struct attempts_page page;
    uint64_t limit = back && back < PAGE ? back : PAGE;
    if (read_page(source, page_arguments("before", INT64_MAX, limit, false), attempts, visitor, &page, err))
        return -1;
    *attempts = (struct attempts){.newest = page.most,
                                  .oldest = page.least,
                                  .reopened = page.reopened,
                                  .begun = true,
                                  .whole = page.trials < limit};
    return 0;
}

/* What ended since; true in *anew: what was visited no longer holds. */
static int go_on(struct attempts *attempts, struct source *source, const struct attempts_visitor *visitor, bool *anew,
                 struct err *err)
{
    struct attempts_page page;
    do {
        if (read_page(source, page_arguments("after", attempts->newest, PAGE, false), attempts, visitor, &page, err))
            return -1;
        *anew = page.reopened != attempts->reopened;
        if (page.trials && !*anew)
            attempts->newest = page.most;
    } while (page.trials == PAGE && !*anew);
    return 0;
}

static int go_back(struct attempts *attempts, struct source *source, uint64_t back,
                   const struct attempts_visitor *visitor, struct err *err)
{
    while (back && !attempts->whole) {
        struct attempts_page page;
        uint64_t limit = back < PAGE ? back : PAGE;
        if (read_page(source, page_arguments("before", attempts->oldest, limit, false), attempts, visitor, &page, err))
            return -1;
        if (page.reopened != attempts->reopened)
            return 0; /* the next update begins anew */
        back -= limit;
        attempts->whole = page.trials < limit;
        attempts->oldest = page.trials ? page.least : attempts->oldest;
    }
    return 0;
}

int attempts_update(struct attempts *attempts, struct source *source, uint64_t back,
                    const struct attempts_visitor *visitor, struct err *err)
{
    bool anew = false;
    if (attempts->begun && go_on(attempts, source, visitor, &anew, err))
        return -1;
    if (anew) {
        visitor->forget(visitor->context);
        *attempts = (struct attempts){0};
    }
    if (!attempts->begun)
        return begin_visit(attempts, source, back, visitor, err);
    return go_back(attempts, source, back, visitor, err);
}

int attempts_alive(struct source *source, const struct attempts_visitor *visitor, struct err *err)
{
    struct attempts_page page = {0};
    do {
        if (read_page(source, page_arguments("after", page.most, PAGE, true), NULL, visitor, &page, err))
            return -1;
    } while (page.trials == PAGE);
    return 0;
}
