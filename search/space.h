/* The space: which configurations there are, and the map between them and the unit cube.
 *
 * A space is built once - params, conditions, constraints, then space_finish - and is constant afterwards; any thread
 * may read it. A *point* is a double per searched parameter in 0..1 (constants have no coordinate); a *configuration*
 * is a value per parameter, VALUE_NONE where the parameter is inactive. Only canonical points (space_snap) stand for
 * exactly one configuration.
 *
 * Alphabet: P parameters in all, D searched ones (D <= P). */
#ifndef GANNET_SEARCH_SPACE_H
#define GANNET_SEARCH_SPACE_H

#include "common/buf.h"
#include "common/err.h"
#include "common/value.h"
#include "search/strategy.h"

#include <stdbool.h>
#include <stdint.h>

enum param_kind { PARAM_REAL, PARAM_INT, PARAM_CHOICE, PARAM_NORMAL, PARAM_CONSTANT };

/* Active only if the parent is active and has one of the values; when they are `excluded`, another one; without values,
 * a number in a range. */
struct condition {
    uint32_t parent;      /* index of the parameter */
    struct value *values; /* one or more; NULL: a range */
    uint32_t count;
    bool excluded;
    double min, max; /* of the range, both ends included; infinite: no end */
};

/* One parameter as the experiment file states it. */
struct param {
    char *name;
    char *description; /* or NULL */
    enum param_kind kind;
    double min, max; /* REAL, INT: the range, both ends included; NORMAL: the truncation, infinite when there is none */
    bool log;        /* REAL, INT: even in the logarithm (min > 0); NORMAL: the logarithm is normal */
    double step;     /* REAL, INT: values are min + k step; 0: continuous reals, all integers */
    double mean, stddev;          /* NORMAL; of the logarithm when `log` */
    struct value *values;         /* CHOICE: the choices; CONSTANT: one value */
    double *weights;              /* CHOICE: their relative probabilities; NULL: equal */
    uint32_t count;               /* of values and weights */
    bool ordered;                 /* CHOICE: the values have an order */
    struct value default_value;   /* `default:`; VALUE_NONE when not given */
    bool optional;                /* of expressions that are no constraints: it may lack a value, and equal null */
    struct condition *conditions; /* all must hold for the parameter to be active */
    uint32_t condition_count;
};

void param_fini(struct param *param);

/* Whether a parameter makes sense by itself: ranges, steps, weights, the default; all but its conditions. -1 with a
 * sentence that names it. INT: whole numbers within +-2^53. CHOICE: values differ (1 and 1.0 are the same), weights are
 * above 0. NORMAL: reaches 5 standard deviations to either side of its mean at most. */
int param_check(const struct param *param, struct err *err);

struct space;

struct space *space_create(void);
void space_destroy(struct space *space); /* NULL is fine */

/* Adds a parameter, taking over what it owns (and leaving *param empty). Conditions may name parameters that come
 * later. Its index is the number of parameters before it. */
void space_add(struct space *space, struct param *param);

/* Adds a constraint: an expression over parameters that must be true ("width * layers <= 4096"; see expression.h). All
 * parameters must have been added before. A constraint that reads an inactive parameter is taken as satisfied. -1 with
 * a sentence; *column (from 0) is where in the text. */
int space_constrain(struct space *space, const char *expression, size_t *column, struct err *err);

/* Checks the parameters (param_check), orders them along their conditions and makes the tables that the other functions
 * need. -1 with a sentence; *culprit is then the index of the parameter at fault: of one on the circle when conditions
 * run in a circle. At most SPACE_MOST_PARAMS parameters. */
enum { SPACE_MOST_PARAMS = 1024 };
int space_finish(struct space *space, uint32_t *culprit, struct err *err);

/* --- what is in it --- */

uint32_t space_count(const struct space *space);                            /* P */
const struct param *space_param(const struct space *space, uint32_t index); /* in the order they were added */
int64_t space_find(const struct space *space, const char *name);            /* index, or -1 */
uint32_t space_dimension(const struct space *space);                        /* D */
uint32_t space_constraint_count(const struct space *space);
const char *space_constraint(const struct space *space, uint32_t index); /* its text */

/* How many different configurations there are: conditions counted exactly where that is cheap (else *exact is false and
 * the number an upper bound), constraints not considered; infinite when a searched parameter is continuous, as an
 * integer range of more than 2^40 values is. `exact` may be NULL. */
double space_size(const struct space *space, bool *exact);

/* The space as strategies see it: D parameters, parents before their children and otherwise as declared; so are the
 * coordinates of a point. Lives as long as the space. */
const struct gannet_space *space_public(const struct space *space);

/* The functions of strategy.h's host for this space. Lives as long as the space. */
const struct gannet_host *space_host(const struct space *space);

/* --- points and configurations --- */

/* Makes unit[D] canonical in place; see gannet_host.snap. */
void space_snap(const struct space *space, double *unit);

/* The configuration at a canonical point: P values into config, which is overwritten; free each with value_fini. */
void space_config(const struct space *space, const double *unit, struct value *config);

/* The canonical point of a configuration: unit[D]. A value outside a parameter's range, steps or list is an error with
 * a sentence; a missing value (VALUE_NONE) takes the parameter's default, else `fill` (called with the parameter's
 * coordinate), else 0.5. Values of parameters that turn out inactive are dropped. */
int space_point(const struct space *space, const struct value *config,
                double (*fill)(void *context, uint32_t coordinate), void *context, double *unit, struct err *err);

/* Whether every constraint holds at a canonical point. */
bool space_allowed(const struct space *space, const double *unit);

/* The index of the first constraint that does not hold there, or -1. */
int64_t space_violated(const struct space *space, const double *unit);

/* Walks all configurations of a space of finite size, each once, the last coordinate fastest: space_first writes the
 * first canonical point, space_next makes of a canonical point the next one; false (and the point unspecified) after
 * the last. */
void space_first(const struct space *space, double *unit);
bool space_next(const struct space *space, double *unit);

/* A number that is the same for the same configuration whatever order parameters were declared in (64 bits of hash over
 * the active searched parameters' names and values). */
uint64_t space_fingerprint(const struct space *space, const double *unit);

/* The active parameters, constants included, as one line of JSON in the declared order: {"lr": 0.001, "optimizer":
 * "sgd"}. */
void space_json(const struct space *space, const double *unit, struct buf *out);

/* The same of a configuration's P values; those that are VALUE_NONE are left out. */
void space_config_json(const struct space *space, const struct value *config, struct buf *out);

/* The values that a JSON object names, into config[P], which must be zeroed before; the others stay VALUE_NONE. -1 with
 * a sentence when it is no object or names an unknown parameter. Either way space_config_fini it. */
int space_config_of_json(const struct space *space, const char *json, struct value *config, struct err *err);
void space_config_fini(const struct space *space, struct value *config);

/* The canonical point of such JSON; missing parameters as in space_point without fill. -1 with a sentence. */
int space_point_of_json(const struct space *space, const char *json, double *unit, struct err *err);

#endif
