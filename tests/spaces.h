/* Spaces for tests, written as JSON with ' for ", in the words of the experiment file:
 *
 *     spaces_make("{'lr': {'min': 1e-5, 'max': 0.1, 'log': true}, 'optimizer': ['sgd', 'adam'],"
 *                 " 'momentum': {'min': 0.5, 'max': 0.99, 'when': {'optimizer': 'sgd'}}, 'epochs': 30}")
 *
 * A list is a choice, another value a constant; a range is of integers when min and max are. */
#ifndef GANNET_TESTS_SPACES_H
#define GANNET_TESTS_SPACES_H

#include "common/rng.h"
#include "search/space.h"

/* A finished space; the test fails when it can't be made. */
struct space *spaces_make(const char *text);

/* With one constraint. */
struct space *spaces_make_with(const char *text, const char *constraint);

/* The same up to space_finish, whose result it returns. */
int spaces_try(const char *text, struct space **space, uint32_t *culprit, struct err *err);

/* A random space: parameters of all kinds, some with conditions on others. */
struct space *spaces_random(struct rng *rng);

/* A random space of at most a few thousand configurations. */
struct space *spaces_random_finite(struct rng *rng);

/* A random canonical point: unit[D]. */
void spaces_point(const struct space *space, struct rng *rng, double *unit);

/* The configuration at a point as JSON with ' for ", valid until the next call. */
const char *spaces_show(const struct space *space, const double *unit);

/* The canonical point of such JSON; the test fails when there is none. */
void spaces_read(const struct space *space, const char *config, double *unit);

/* The most coordinates that spaces of these functions have. */
enum { SPACES_MOST = 64 };

#endif
