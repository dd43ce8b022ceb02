/* The two implementations of the operations beside each other, on random shapes. */
#include "worker/kernels/ops.h"
#include "common/mem.h"
#include "common/rng.h"
#include "tests/claims.h"

#include <math.h>
#include <stdlib.h>

enum { SHAPES = 60, MOST_B = 70, MOST_I = 130, MOST_O = 130 };

/* --- what the loops are --- */

static void the_loops_multiply_as_written(void **state)
{
    (void)state;
    /* x[2,3], w[2,3], b[2] */
    static const float x[] = {1, 2, 3, -1, 0, 1}, w[] = {1, 0, -1, 2, 1, 0}, b[] = {10, 20}, dy[] = {1, 2, 3, 4};
    static const float y_wanted[] = {8, 24, 8, 18}, dx_wanted[] = {5, 2, -1, 11, 4, -3};
    static const float dw_wanted[] = {-2, 2, 6, -2, 4, 10}, db_wanted[] = {4, 6};
    float y[4], dx[6], dw[6], db[2];
    ops_ref.linear(NULL, 2, 3, 2, x, w, b, y);
    ops_ref.linear_back_data(NULL, 2, 3, 2, dy, w, dx);
    ops_ref.linear_back_weights(NULL, 2, 3, 2, x, dy, dw, db);
    assert_memory_equal(y, y_wanted, sizeof y);
    assert_memory_equal(dx, dx_wanted, sizeof dx);
    assert_memory_equal(dw, dw_wanted, sizeof dw);
    assert_memory_equal(db, db_wanted, sizeof db);
}

static void activations_have_their_known_values(void **state)
{
    (void)state;
    static const float z[] = {-2, 0, 2};
    static const double wanted[][3] = {[OPS_RELU] = {0, 0, 2},
                                       [OPS_TANH] = {-0.96402758, 0, 0.96402758},
                                       [OPS_SIGMOID] = {0.11920292, 0.5, 0.88079708},
                                       [OPS_GELU] = {-0.04550026, 0, 1.95449974}};
    for (int f = 0; f < OPS_ACTIVATIONS_COUNT; f++) {
        float a[3];
        ops_ref.activate(NULL, (enum ops_activation)f, 1, 3, z, a);
        for (int i = 0; i < 3; i++)
            assert_true(fabs((double)a[i] - wanted[f][i]) < 1e-6);
    }
}

/* In double precision the slope is that of the function to nine digits; the loops have floats. */
static double smooth(enum ops_activation f, double z)
{
    switch (f) {
    case OPS_TANH:
        return tanh(z);
    case OPS_SIGMOID:
        return 1 / (1 + exp(-z));
    case OPS_GELU:
        return z / 2 * (1 + erf(z / sqrt(2)));
    default:
        return fmax(0, z);
    }
}

static void slopes_agree_with_finite_differences(void **state)
{
    (void)state;
    for (int f = 0; f < OPS_ACTIVATIONS_COUNT; f++)
        for (double z = -4.95; z < 5; z += 0.1) { /* never 0, where relu has a corner */
            float at = (float)z, one = 1, slope;
            double h = 1e-6, wanted = (smooth((enum ops_activation)f, (double)at + h) -
                                       smooth((enum ops_activation)f, (double)at - h)) /
                                      (2 * h);
            ops_ref.activate_back(NULL, (enum ops_activation)f, 1, 1, &at, &one, &slope);
            assert_true(fabs((double)slope - wanted) < 1e-6);
        }
}

/* --- the two beside each other --- */

#ifdef HAVE_ONEDNN
static float *random_floats(struct rng *rng, size_t count)
{
    float *floats = mem_aligned(count, sizeof *floats);
    for (size_t i = 0; i < count; i++)
        floats[i] = (float)rng_normal(rng);
    return floats;
}

/* The largest difference between two results, beside numbers of size 1. */
static double difference(const float *a, const float *b, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        double here = fabs((double)a[i] - (double)b[i]) / fmax(1, fabs((double)b[i]));
        most = isnan(here) || here > most ? here : most;
    }
    return most;
}

static size_t up_to(struct rng *rng, size_t most)
{
    return 1 + (size_t)rng_below(rng, most);
}

static void both_multiply_alike(void **state)
{
    (void)state;
    void *dnnl = ops_dnnl.create();
    struct rng rng = rng_make(11, "ops", 0);
    double most[4] = {0};
    for (int n = 0; n < SHAPES; n++) {
        size_t B = up_to(&rng, MOST_B), I = up_to(&rng, MOST_I), O = up_to(&rng, MOST_O);
        float *x = random_floats(&rng, B * I), *w = random_floats(&rng, O * I), *b = random_floats(&rng, O);
        float *dy = random_floats(&rng, B * O), *out[2][4];
        for (int k = 0; k < 2; k++) {
            const struct ops *ops = k ? &ops_dnnl : &ops_ref;
            size_t sizes[] = {B * O, B * I, O * I, O};
            for (int i = 0; i < 4; i++)
                out[k][i] = random_floats(&rng, sizes[i]);
            ops->linear(k ? dnnl : NULL, B, I, O, x, w, b, out[k][0]);
            ops->linear_back_data(k ? dnnl : NULL, B, I, O, dy, w, out[k][1]);
            ops->linear_back_weights(k ? dnnl : NULL, B, I, O, x, dy, out[k][2], out[k][3]);
        }
        size_t sizes[] = {B * O, B * I, O * I, O};
        for (int i = 0; i < 4; i++) {
            most[i] = fmax(most[i], difference(out[1][i], out[0][i], sizes[i]));
            free(out[0][i]);
            free(out[1][i]);
        }
        free(x);
        free(w);
        free(b);
        free(dy);
    }
    ops_dnnl.destroy(dnnl);
    print_message("# largest difference of y %.2g, dx %.2g, dw %.2g, db %.2g\n", most[0], most[1], most[2], most[3]);
    for (int i = 0; i < 4; i++)
        assert_true(most[i] < 1e-4); /* sums of 130 products of size 1 in another order: about 130 * 6e-8 */
}

static void both_activate_alike(void **state)
{
    (void)state;
    void *dnnl = ops_dnnl.create();
    struct rng rng = rng_make(12, "ops", 0);
    for (int f = 0; f < OPS_ACTIVATIONS_COUNT; f++) {
        double most = 0, most_back = 0;
        for (int n = 0; n < SHAPES / 4; n++) {
            size_t B = up_to(&rng, MOST_B), O = up_to(&rng, MOST_O);
            float *z = random_floats(&rng, B * O), *da = random_floats(&rng, B * O);
            float *ours = random_floats(&rng, B * O), *theirs = random_floats(&rng, B * O);
            ops_ref.activate(NULL, (enum ops_activation)f, B, O, z, ours);
            ops_dnnl.activate(dnnl, (enum ops_activation)f, B, O, z, theirs);
            most = fmax(most, difference(theirs, ours, B * O));
            ops_ref.activate_back(NULL, (enum ops_activation)f, B, O, z, da, ours);
            ops_dnnl.activate_back(dnnl, (enum ops_activation)f, B, O, z, da, da); /* in place */
            most_back = fmax(most_back, difference(da, ours, B * O));
            free(z);
            free(da);
            free(ours);
            free(theirs);
        }
        print_message("# activation %d: largest difference %.2g, backward %.2g\n", f, most, most_back);
        assert_true(most < 1e-5 && most_back < 1e-5);
    }
    ops_dnnl.destroy(dnnl);
}

/* More shapes than are kept: the oldest are forgotten and made again. */
static void any_number_of_shapes_can_be_used(void **state)
{
    (void)state;
    void *dnnl = ops_dnnl.create();
    float *x = mem_aligned(600, sizeof *x), *y = mem_aligned(600, sizeof *y), b = 1, w = 2;
    x[599] = 3;
    for (int round = 0; round < 2; round++)
        for (size_t B = 1; B <= 600; B++) {
            ops_dnnl.linear(dnnl, B, 1, 1, x, &w, &b, y);
            assert_true(y[B - 1] == (B == 600 ? 7 : 1));
        }
    free(x);
    free(y);
    ops_dnnl.destroy(dnnl);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_loops_multiply_as_written),
        cmocka_unit_test(activations_have_their_known_values),
        cmocka_unit_test(slopes_agree_with_finite_differences),
#ifdef HAVE_ONEDNN
        cmocka_unit_test(both_multiply_alike),
        cmocka_unit_test(both_activate_alike),
        cmocka_unit_test(any_number_of_shapes_can_be_used),
#endif
    };
    return cmocka_run_group_tests_name("ops", tests, NULL, NULL);
}
