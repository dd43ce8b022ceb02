/* The trials that nothing dominates: what is best when there are several objectives. */
#include "scheduler/store/reader_criteria.h"
#include "scheduler/store/reader_trial.h"

#include "common/json.h"
#include "common/mem.h"
#include "search/pareto/front.h"
#include "search/pareto/hypervolume.h"

#include <stdlib.h>

/* The feasible trials with their losses, m a trial. */
struct points {
    uint32_t m;
    double *losses;
    uint64_t *trials;
    size_t count, capacity, trials_capacity;
};

static int add_point(struct reader *reader, struct points *points, uint64_t trial, double first, struct err *err)
{
    double *values = MEM_ARRAY(double, reader->criteria.count);
    int failed = reader_outcomes(reader, trial, first, values, err);
    MEM_GROW(points->losses, points->capacity, (points->count + 1) * points->m);
    MEM_GROW(points->trials, points->trials_capacity, points->count + 1);
    metrics_losses(&reader->criteria, values, points->losses + points->count * points->m);
    points->trials[points->count++] = trial;
    free(values);
    return failed;
}

static int read_points(struct reader *reader, struct points *points, struct err *err)
{
    struct query query = query_make(reader->db, STATEMENT_FEASIBLE_TRIALS);
    int row;
    while ((row = query_row(&query, err)) > 0) {
        uint64_t trial = query_get_u64(&query);
        if (add_point(reader, points, trial, query_get_real(&query), err)) {
            query_end(&query);
            return -1;
        }
    }
    return row;
}

/* The reference point as the metrics' values. */
static json_t *reference_json(const struct metrics *criteria, const double *reference)
{
    json_t *json = json_object();
    for (uint32_t i = 0; i < criteria->count; i++)
        if (criteria->items[i].objective)
            json_object_set_new(json, criteria->items[i].name,
                                json_of_real(metric_loss(&criteria->items[i], *reference++)));
    return json;
}

static json_t *front_trials(struct reader *reader, const struct points *points, struct err *err)
{
    size_t *index = MEM_ARRAY(size_t, points->count + 1);
    size_t count = front_first(points->losses, points->count, points->m, index);
    json_t *list = json_array();
    for (size_t i = 0; list && i < count; i++) {
        json_t *trial = reader_make_trial(reader, points->trials[index[i]], err);
        if (trial) {
            json_array_append_new(list, trial);
        } else {
            json_decref(list);
            list = NULL;
        }
    }
    free(index);
    return list;
}

static json_t *make_front(struct reader *reader, struct err *err)
{
    struct metrics criteria;
    if (reader_criteria(reader, &criteria, err))
        return NULL;
    struct points points = {.m = metrics_objectives(&criteria)};
    json_t *trials = read_points(reader, &points, err) ? NULL : front_trials(reader, &points, err), *json = NULL;
    if (trials) {
        double *reference = MEM_ARRAY(double, points.m);
        hypervolume_reference(points.losses, points.count, points.m, reference);
        double volume = hypervolume_measure(points.losses, points.count, points.m, reference);
        json = json_object();
        json_object_set_new(json, "front", trials);
        json_object_set_new(json, "hypervolume", json_of_real(volume));
        json_object_set_new(json, "reference", reference_json(&criteria, reference));
        free(reference);
    }
    free(points.losses);
    free(points.trials);
    return json;
}

json_t *reader_front(struct reader *reader, struct err *err)
{
    if (reader_begin(reader, err))
        return NULL;
    return reader_finish(reader, 0, make_front(reader, err));
}
