/* Standing in a sequence of points, by the notes alone. */
#include "search/simple/sequence.h"
#include "tests/claims.h"
#include "tests/spaces.h"

#include <math.h>
#include <stdlib.h>

/* 0.1, 0.2, 0.3 ... up to an end, then nothing at `nothing` places, then the end. */
struct counter {
    int at, end, nothing;
};

static enum sequence_step count_up(void *source, double *unit)
{
    struct counter *counter = source;
    counter->at++;
    *unit = counter->at * 0.1;
    return counter->at <= counter->end                      ? SEQUENCE_POINT
           : counter->at <= counter->end + counter->nothing ? SEQUENCE_NOTHING
                                                            : SEQUENCE_END;
}

/* A sequence on a space of one parameter. */
struct fixture {
    struct space *space;
    struct gannet_problem problem;
    struct counter counter;
    struct sequence *sequence;
};

static struct fixture *make(const char *space, const char *constraint, struct counter counter)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    fixture->space = spaces_make_with(space, constraint);
    fixture->problem.space = space_public(fixture->space);
    fixture->counter = counter;
    fixture->sequence =
        sequence_create(&fixture->problem, space_host(fixture->space), count_up, &fixture->counter, 100);
    return fixture;
}

static void drop(struct fixture *fixture)
{
    sequence_destroy(fixture->sequence);
    space_destroy(fixture->space);
    free(fixture);
}

/* An ask is answered by this point, or by the end (0) or nothing (-1). */
static void answers(struct fixture *fixture, uint32_t retry, double expected)
{
    double unit;
    enum sequence_step step = sequence_ask(fixture->sequence, retry, &unit);
    assert_int_equal(step, expected > 0 ? SEQUENCE_POINT : expected == 0 ? SEQUENCE_END : SEQUENCE_NOTHING);
    if (expected > 0)
        assert_true(fabs(unit - expected) < 1e-9);
}

static void note(struct fixture *fixture, double unit)
{
    space_snap(fixture->space, &unit);
    sequence_note(fixture->sequence, &unit);
}

static const char *const line = "{'x': {'min': 0.0, 'max': 1.0}}";

static void asks_leave_no_trace(void **state)
{
    (void)state;
    struct fixture *fixture = make(line, NULL, (struct counter){.end = 9});
    for (int i = 0; i < 3; i++) {
        answers(fixture, 0, 0.1);
        answers(fixture, 1, 0.2);
        answers(fixture, 2, 0.3);
    }
    note(fixture, 0.1);
    answers(fixture, 0, 0.2);
    drop(fixture);
}

static void notes_move_on_without_asks(void **state)
{
    (void)state;
    struct fixture *fixture = make(line, NULL, (struct counter){.end = 9});
    note(fixture, 0.1);
    note(fixture, 0.2);
    answers(fixture, 0, 0.3);
    drop(fixture);
}

static void points_from_elsewhere_are_passed_over_when_they_come(void **state)
{
    (void)state;
    struct fixture *fixture = make(line, NULL, (struct counter){.end = 9});
    note(fixture, 0.3);
    note(fixture, 0.77);
    answers(fixture, 0, 0.1);
    note(fixture, 0.1);
    answers(fixture, 0, 0.2);
    answers(fixture, 1, 0.4);
    note(fixture, 0.2);
    answers(fixture, 0, 0.4);
    drop(fixture);
}

static void what_constraints_forbid_is_passed_over(void **state)
{
    (void)state;
    struct fixture *fixture = make(line, "x > 0.25 and x < 0.55", (struct counter){.end = 9});
    answers(fixture, 0, 0.3);
    note(fixture, 0.3);
    note(fixture, 0.4);
    note(fixture, 0.5);
    answers(fixture, 0, 0);
    drop(fixture);
}

static void points_that_come_again_in_a_finite_space_are_passed_over(void **state)
{
    (void)state;
    struct fixture *fixture = make("{'n': [1, 2]}", NULL, (struct counter){.end = 9});
    answers(fixture, 0, 0.25);
    answers(fixture, 1, 0.25);
    note(fixture, 0.25);
    answers(fixture, 0, 0.75);
    note(fixture, 0.75);
    answers(fixture, 0, 0);
    drop(fixture);
}

static void patience_ends(void **state)
{
    (void)state;
    struct fixture *fixture = make(line, NULL, (struct counter){.end = 1, .nothing = 150});
    note(fixture, 0.1);
    answers(fixture, 0, 0);
    drop(fixture);
    fixture = make(line, NULL, (struct counter){.nothing = 250});
    answers(fixture, 0, -1);
    answers(fixture, 1, -1);
    answers(fixture, 0, -1);
    answers(fixture, 0, 0);
    drop(fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asks_leave_no_trace),
        cmocka_unit_test(notes_move_on_without_asks),
        cmocka_unit_test(points_from_elsewhere_are_passed_over_when_they_come),
        cmocka_unit_test(what_constraints_forbid_is_passed_over),
        cmocka_unit_test(points_that_come_again_in_a_finite_space_are_passed_over),
        cmocka_unit_test(patience_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
