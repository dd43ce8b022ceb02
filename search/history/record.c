/* Records; see record.h. */
#include "search/history/record.h"
#include "common/mem.h"

#include <math.h>
#include <string.h>

/* Losses that a record has beside the one loss. */
static size_t loss_numbers(const struct gannet_problem *problem)
{
    return problem->objectives > 1 ? problem->objectives : 0;
}

size_t record_numbers(const struct gannet_problem *problem)
{
    return problem->space->count + loss_numbers(problem) + problem->limits;
}

void record_init(struct record *record, const struct gannet_problem *problem, double *numbers, uint64_t trial,
                 const double *unit)
{
    size_t dimension = problem->space->count, losses = loss_numbers(problem);
    memcpy(numbers, unit, dimension * sizeof *unit);
    for (size_t i = dimension; i < record_numbers(problem); i++)
        numbers[i] = NAN;
    *record = (struct record){
        .trial = trial,
        .unit = numbers,
        .losses = losses ? numbers + dimension : NULL,
        .violation = problem->limits ? numbers + dimension + losses : NULL,
        .failed = true,
        .loss = NAN,
        .energy = NAN,
    };
}

void record_fill(struct record *record, const struct gannet_problem *problem,
                 const struct gannet_outcome_of_trial *outcome, bool ended)
{
    record->failed = outcome->outcome != GANNET_FINISHED || !isfinite(outcome->loss);
    record->loss = record->failed ? NAN : outcome->loss;
    for (uint32_t k = 0; record->losses && k < problem->objectives; k++)
        record->losses[k] = record->failed || !outcome->losses ? record->loss : outcome->losses[k];
    for (uint32_t k = 0; k < problem->limits; k++)
        record->violation[k] = outcome->violation ? outcome->violation[k] : NAN;
    record->seconds = outcome->seconds;
    record->energy = outcome->energy;
    record->step = outcome->step;
    record->ended = ended;
}

struct record *record_create(const struct gannet_problem *problem, const struct gannet_outcome_of_trial *outcome)
{
    struct with_numbers {
        struct record record; /* first: freed through it */
        double numbers[];
    } *made = mem_zero(1, sizeof *made + record_numbers(problem) * sizeof *made->numbers);
    record_init(&made->record, problem, made->numbers, outcome->trial, outcome->unit);
    record_fill(&made->record, problem, outcome, true);
    return &made->record;
}
