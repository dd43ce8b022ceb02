/* The searches of a benchmark, shown; see bench_series.h. */
#include "cli/view/bench_series.h"
#include "cli/bench/stats.h"
#include "cli/status.h"
#include "common/json.h"
#include "common/mem.h"

#include <stdlib.h>

bool series_show_broken(const struct series *series, struct console *console)
{
    size_t count;
    bool any = false;
    const struct series_search *searches = series_searches(series, &count);
    const struct series_search *last = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct series_search *search = &searches[i];
        if (search->state != SEARCH_BROKEN)
            continue;
        any = true;
        if (last && last->objective == search->objective && last->contender == search->contender)
            continue;
        struct err err = search->err;
        err_write_prefix(&err, "%s on %s, seed %llu", search->contender->text, objective_name(search->objective),
                         (unsigned long long)search->seed);
        console_fail(console, STATUS_FAILED, &err);
        last = search;
    }
    return any;
}

json_t *series_tables_json(const struct series_setup *setup)
{
    json_t *list = json_array();
    for (size_t i = 0; i < setup->objective_count; i++) {
        const struct objective *objective = setup->objectives[i];
        json_t *table = json_object();
        json_object_set_new(table, "table", json_string(objective_name(objective)));
        json_object_set_new(table, "optimum", json_of_real(objective_optimum(objective)));
        json_object_set_new(table, "median", json_of_real(objective_median(objective)));
        json_array_append_new(list, table);
    }
    return list;
}

json_t *series_searches_json(const struct series *series)
{
    size_t count;
    const struct series_search *searches = series_searches(series, &count);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        if (searches[i].state != SEARCH_DONE)
            continue;
        json_t *search = json_object();
        json_object_set_new(search, "table", json_string(objective_name(searches[i].objective)));
        json_object_set_new(search, "strategy", json_string(searches[i].contender->text));
        json_object_set_new(search, "seed", json_of_u64(searches[i].seed));
        json_object_set_new(search, "trials", json_of_u64(searches[i].result.ended));
        json_object_set_new(search, "failed", json_of_u64(searches[i].result.failed));
        json_object_set_new(search, "stopped", json_of_u64(searches[i].result.stopped));
        json_object_set_new(search, "steps", json_of_u64(searches[i].result.steps));
        json_object_set_new(search, "utilisation", json_of_real(searches[i].result.utilisation));
        json_array_append_new(list, search);
    }
    return list;
}

void series_show_utilisation(const struct series *series, const struct contenders *contenders, struct buf *out)
{
    size_t count;
    const struct series_search *searches = series_searches(series, &count);
    double *values = MEM_ARRAY(double, count + 1);
    buf_text(out, "\nUtilisation of the workers until the last trial was handed out (median)\n");
    for (size_t c = 0; c < contenders->count; c++) {
        size_t found = 0;
        for (size_t i = 0; i < count; i++)
            if (searches[i].state == SEARCH_DONE && searches[i].contender == &contenders->items[c])
                values[found++] = searches[i].result.utilisation;
        buf_format(out, "  %s  %.4f\n", contenders->items[c].text, stats_median(values, found));
    }
    free(values);
}
