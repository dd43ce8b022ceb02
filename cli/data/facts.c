/* What a filter looks at, page by page; see facts.h. */
#include "cli/data/facts.h"
#include "cli/json.h"

#include <string.h>

enum { PAGE = 2000 }; /* trials whose facts are read at once: some 20 ms */

/* A walk over trials. */
struct facts_walk {
    struct source *source;
    const struct trial_query *query;
    const struct filter *filter;
    json_t *members;
    reader_visit *visit;
    void *context;
};

static bool may_be_kept(const struct facts_walk *walk, const json_t *trial)
{
    const char *state = json_text(trial, "state");
    int wanted = walk->query->state;
    if (!trial_state_name_is_end(state))
        return true; /* its state may be another one when it is read */
    return (!wanted || strcmp(state, trial_state_name((enum trial_state)(wanted - 1))) == 0) &&
           filter_keeps(walk->filter, trial);
}

/* Visits those of a page that may be kept. *last is the number of the last of all, *count how many there were. */
static int walk_page(const struct facts_walk *walk, json_t *arguments, uint64_t *last, size_t *count, struct err *err)
{
    struct trial_query whole = {.state = walk->query->state, .brief = walk->query->brief, .curve = walk->query->curve};
    json_t *numbers = json_array(), *trial;
    size_t index;
    json_object_set(arguments, "members", walk->members);
    json_t *facts = source_read(walk->source, "facts", arguments, err);
    json_array_foreach(facts, index, trial)
    {
        *last = (uint64_t)json_integer_value(json_object_get(trial, "trial"));
        if (may_be_kept(walk, trial))
            json_array_append(numbers, json_object_get(trial, "trial"));
    }
    *count = json_array_size(facts);
    int failed = facts ? 0 : -1;
    json_decref(facts);
    whole.numbers = numbers;
    if (!failed && json_array_size(numbers))
        failed = source_each_trial(walk->source, &whole, walk->visit, walk->context, err);
    json_decref(numbers);
    return failed;
}

static int walk_numbers(const struct facts_walk *walk, struct err *err)
{
    uint64_t after = walk->query->after, last = after;
    size_t count = PAGE;
    while (count == PAGE) {
        if (walk_page(walk, json_pack("{s:I, s:i}", "after", (json_int_t)after, "limit", (int)PAGE), &last, &count,
                      err))
            return -1;
        if (count && last <= after)
            return err_set(err, "the store is damaged: its trials don't come in the order of their numbers");
        after = last;
    }
    return 0;
}

static int walk_list(const struct facts_walk *walk, const json_t *numbers, struct err *err)
{
    uint64_t last;
    size_t count;
    int failed = 0;
    for (size_t i = 0; !failed && i < json_array_size(numbers); i += PAGE) {
        json_t *part = json_array();
        for (size_t k = i; k < i + PAGE && k < json_array_size(numbers); k++)
            json_array_append(part, json_array_get(numbers, k));
        failed = walk_page(walk, json_pack("{s:o}", "numbers", part), &last, &count, err);
    }
    return failed;
}

static int walk_order(const struct facts_walk *walk, struct err *err)
{
    json_t *arguments = json_pack("{s:b, s:b, s:s*}", "by_value", (int)walk->query->by_value, "reverse",
                                  (int)walk->query->reverse, "order", walk->query->order);
    json_t *numbers = source_read(walk->source, "numbers", arguments, err);
    int failed = numbers ? walk_list(walk, numbers, err) : -1;
    json_decref(numbers);
    return failed;
}

int facts_each_trial(struct source *source, const struct trial_query *query, const struct filter *filter,
                     reader_visit *visit, void *context, struct err *err)
{
    struct facts_walk walk = {.source = source,
                              .query = query,
                              .filter = filter,
                              .members = json_array(),
                              .visit = visit,
                              .context = context};
    filter_list_members(filter, walk.members);
    int failed = query->numbers                    ? walk_list(&walk, query->numbers, err)
                 : query->by_value || query->order ? walk_order(&walk, err)
                                                   : walk_numbers(&walk, err);
    json_decref(walk.members);
    return failed;
}
