/* The example of a plug-in: plugins/hello.c. */
#include "tests/claims.h"
#include "tests/searches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void hello_climbs(void **state)
{
    (void)state;
    struct space *space =
        spaces_make("{'x': {'min': -1.0, 'max': 1.0}, 'y': {'min': -1.0, 'max': 1.0}, 'c': ['a', 'b']}");
    struct search search = {.strategy = "hello", .options = "{'step': 0.1}"};
    struct searcher *searcher = searches_make(&search, space, 1);
    double best = INFINITY;
    for (uint64_t trial = 1; trial <= 300; trial++) {
        struct proposal proposal;
        double unit[3];
        assert_int_equal(searcher_ask(searcher, trial, &proposal, NULL), SEARCHER_PROPOSED);
        space_point_of_json(space, proposal.params, unit, NULL);
        double loss = pow(unit[0] - 0.2, 2) + pow(unit[1] - 0.6, 2) + (strstr(proposal.params, "\"b\"") ? 0 : 1);
        best = fmin(best, loss);
        free(proposal.params);
        searcher_tell(searcher, trial, ENDING_COMPLETED, loss, 1);
    }
    assert_true(best < 1e-3); /* random search gets to about 2e-3 with 300 points */
    searcher_destroy(searcher);
    space_destroy(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hello_climbs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
