/* What each coordinate is, and scaled points; see domain.h. */
#include "search/gp/domain.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

/* The middles of an axis' first and last level are the ends of the scale. */
static void find_ends(struct domain_axis *axis, const struct gannet_host *host, uint32_t d)
{
    *axis = (struct domain_axis){.nominal = axis->nominal,
                                 .conditional = axis->conditional,
                                 .fine = axis->fine,
                                 .levels = axis->levels,
                                 .low = 0,
                                 .span = 1};
    if (axis->levels < 2)
        return;
    double low = host->level(host, d, 0), high = host->level(host, d, axis->levels - 1);
    if (high > low) {
        axis->low = low;
        axis->span = high - low;
    }
}

void domain_init(struct gp_domain *domain, const struct gannet_problem *problem, const struct gannet_host *host)
{
    const struct gannet_space *space = problem->space;
    *domain = (struct gp_domain){.count = space->count, .space = space, .host = host, .max_steps = problem->max_steps};
    domain->width = space->count + (problem->max_steps > 0);
    domain->axes = MEM_ARRAY(struct domain_axis, domain->width);
    domain->axes[domain->width - 1].span = 1;
    domain->main_effects = domain->width > 1;
    for (uint32_t d = 0; d < space->count; d++) {
        const struct gannet_param *param = &space->params[d];
        struct domain_axis *axis = &domain->axes[d];
        axis->nominal = param->kind == GANNET_CHOICE;
        axis->conditional = param->conditional;
        axis->levels = param->levels;
        axis->fine = !axis->nominal && (param->levels == 0 || param->levels > DOMAIN_FEW_LEVELS);
        domain->any_fine = domain->any_fine || axis->fine;
        find_ends(axis, host, d);
    }
}

void domain_fini(struct gp_domain *domain)
{
    free(domain->axes);
    *domain = (struct gp_domain){0};
}

/* Even in the logarithm, as rungs are. */
double domain_depth(const struct gp_domain *domain, uint64_t step)
{
    if (step == 0 || step >= domain->max_steps)
        return 1;
    return log1p((double)step) / log1p((double)domain->max_steps);
}

void domain_scale(const struct gp_domain *domain, const double *unit, double depth, double *x)
{
    if (domain->max_steps)
        x[domain->count] = depth;
    for (uint32_t d = 0; d < domain->count; d++)
        x[d] = (unit[d] - domain->axes[d].low) / domain->axes[d].span;
}

void domain_unscale(const struct gp_domain *domain, const double *x, double *unit)
{
    for (uint32_t d = 0; d < domain->count; d++)
        unit[d] = domain->axes[d].low + domain->axes[d].span * x[d];
}

/* Levels are found by halving, since choices with weights are not equally wide. */
uint64_t domain_level(const struct gp_domain *domain, uint32_t d, double unit)
{
    const struct gannet_host *host = domain->host;
    uint64_t low = 0, high = domain->axes[d].levels - 1;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        double here = host->level(host, d, middle), next = host->level(host, d, middle + 1);
        if (unit < (here + next) / 2)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}
