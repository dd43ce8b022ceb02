/* Networks of each kind of layer: gradients of the inputs and of every weight against finite differences of the way
 * forward, on every backend; and what networks promise. */
#include "tests/claims.h"
#include "tests/network_cases.h"
#include "tests/tensors.h"

#include <math.h>
#include <stdlib.h>

#define S(...) TENSORS_SIZES(__VA_ARGS__)

/* A network with a batch; the objective is the sum of r times its outputs. */
struct setting {
    struct tensors t;
    struct network *network;
    struct tensor x, r;
    FILE *saved; /* what the network was at first */
};

static void save_network(struct setting *made)
{
    rewind(made->saved);
    struct pack_writer out = {.file = made->saved};
    network_save(made->network, &out);
    assert_int_equal(out.error, 0);
}

static void load_network(struct setting *made)
{
    rewind(made->saved);
    struct pack_reader in = {.file = made->saved, .left = UINT64_MAX};
    network_load(made->network, &in);
    assert_false(in.torn);
}

static struct tensor draw_inputs(struct tensors *t, int which)
{
    const size_t *shape = networks[which].shape;
    if (!networks[which].settings->tokens)
        return tensors_random(t, TENSOR_F32, S(shape[0], shape[1], shape[2], shape[3]));
    struct tensor x = tensor_make(TENSOR_I32, 2, shape);
    x.at = tensors_whole(t, shape[0] * shape[1], networks[which].settings->tokens).at;
    return x;
}

static void make_in(struct setting *made, const struct backend_kind *kind, enum tensor_type type, int which)
{
    struct err err = {0};
    tensors_open(&made->t, kind, 21);
    made->x = draw_inputs(&made->t, which);
    made->network = network_create(made->t.backend, type, &made->x, networks[which].settings, 3, &err);
    if (!made->network)
        fail_msg("%s: %s", networks[which].about, err.text);
    struct tensor noise = tensors_random(&made->t, TENSOR_F32, S(tensor_count(&made->network->weights)));
    op_mix(made->t.backend, 0.1f, &noise, 1, &made->network->weights); /* biases begin at 0, where a mistake hides */
    const struct tensor *y = network_forward(made->network, &made->x, false);
    made->r = tensors_random(&made->t, TENSOR_F32, S(y->size[0], y->size[1], y->size[2], y->size[3]));
    made->saved = tmpfile();
    assert_non_null(made->saved);
    save_network(made);
}

static void make(struct setting *made, const struct backend_kind *kind, int which)
{
    make_in(made, kind, TENSOR_F32, which);
}

static void unmake(struct setting *made)
{
    fclose(made->saved);
    network_destroy(made->network);
    tensors_close(&made->t);
}

/* With the random numbers of the first pass. */
static double objective(struct setting *made)
{
    double sum = 0;
    const struct tensor *y = network_forward(made->network, &made->x, true);
    double *ys = tensors_read(&made->t, y), *rs = tensors_read(&made->t, &made->r);
    for (size_t i = 0; i < tensor_count(y); i++)
        sum += ys[i] * rs[i];
    free(ys);
    free(rs);
    return sum;
}

/* The derivative by number i of a tensor. */
static double differ(struct setting *made, const struct tensor *tensor, size_t i)
{
    const double h = 1e-3; /* small beside the distance of every sum from the corner of relu here */
    double *numbers = tensors_read(&made->t, tensor), sides[2];
    for (int side = 0; side < 2; side++) {
        load_network(made);
        tensors_set(&made->t, tensor, i, (float)(numbers[i] + (side ? h : -h)));
        sides[side] = objective(made);
    }
    tensors_set(&made->t, tensor, i, (float)numbers[i]);
    free(numbers);
    return (sides[1] - sides[0]) / (2 * h);
}

static void check_gradients(struct setting *made, const char *about, const struct tensor *of, const struct tensor *by)
{
    double *given = tensors_read(&made->t, by);
    for (size_t i = 0; i < tensor_count(of); i++) {
        load_network(made);
        double wanted = differ(made, of, i);
        if (!(fabs(given[i] - wanted) <= 0.01 * fmax(1, fabs(wanted))))
            fail_msg("%s, %s: gradient %d is %g, by differences %g", about, made->t.backend->kind->name, (int)i,
                     given[i], wanted);
    }
    free(given);
}

static void gradients_of_every_weight_agree_with_differences(void **state)
{
    (void)state;
    for (size_t k = 0; backend_list[k]; k++)
        for (int which = 0; which < NETWORKS; which++) {
            struct setting made;
            make(&made, backend_list[k], which);
            network_forward(made.network, &made.x, true);
            struct tensor dy =
                tensors_zeros(&made.t, TENSOR_F32, S(made.r.size[0], made.r.size[1], made.r.size[2], made.r.size[3]));
            op_copy(made.t.backend, &made.r, &dy);
            network_backward(made.network, &made.x, &dy);
            for (size_t p = 0; p < made.network->plan.parameter_count; p++) {
                const struct parameter *parameter = made.network->plan.parameters[p];
                check_gradients(&made, networks[which].about, &parameter->w, &parameter->dw);
            }
            unmake(&made);
        }
}

/* The first layer leaves that out, so one that changes nothing goes before. */
static void gradients_of_the_inputs_agree_with_differences(void **state)
{
    (void)state;
    for (int which = 0; which < NETWORKS; which++) {
        struct setting made;
        struct err err = {0};
        if (networks[which].settings->tokens) /* have none */
            continue;
        struct layer_setting settings[10] = {ACTIVATE(NONE)};
        for (int l = 0; networks[which].settings[l].kind; l++)
            settings[l + 1] = networks[which].settings[l];
        make(&made, &backend_ref, which);
        network_destroy(made.network);
        made.network = network_create(made.t.backend, TENSOR_F32, &made.x, settings, 3, &err);
        assert_non_null(made.network);
        save_network(&made);
        network_forward(made.network, &made.x, true);
        struct tensor dy =
            tensors_zeros(&made.t, TENSOR_F32, S(made.r.size[0], made.r.size[1], made.r.size[2], made.r.size[3]));
        op_copy(made.t.backend, &made.r, &dy);
        network_backward(made.network, &made.x, &dy);
        check_gradients(&made, networks[which].about, &made.x, &made.network->layers.layers[1].dx);
        unmake(&made);
    }
}

/* The gradients of all weights; to be freed. */
static double *gradients_of(struct setting *made)
{
    load_network(made);
    network_forward(made->network, &made->x, true);
    struct tensor dy =
        tensors_zeros(&made->t, TENSOR_F32, S(made->r.size[0], made->r.size[1], made->r.size[2], made->r.size[3]));
    op_copy(made->t.backend, &made->r, &dy);
    network_backward(made->network, &made->x, &dy);
    return tensors_read(&made->t, &made->network->gradients);
}

/* Rounding to 8 bits moves each number by at most 0.4 %, and some of them a few times. */
static void gradients_in_bf16_agree_with_those_in_f32(void **state)
{
    (void)state;
    struct err err;
    for (size_t k = 0; backend_list[k]; k++)
        for (int which = 0; which < NETWORKS; which++) {
            struct setting wide, narrow;
            make(&wide, backend_list[k], which);
            if (wide.t.backend->kind->takes(wide.t.backend->self, TENSOR_BF16, &err)) {
                print_message("# %s is left out: %s\n", backend_list[k]->name, err.text);
                unmake(&wide);
                break;
            }
            make_in(&narrow, backend_list[k], TENSOR_BF16, which);
            double *a = gradients_of(&wide), *b = gradients_of(&narrow), size = 0, apart = 0;
            for (size_t i = 0; i < tensor_count(&wide.network->gradients); i++) {
                size += a[i] * a[i];
                apart += (a[i] - b[i]) * (a[i] - b[i]);
            }
            print_message("# %s, %s: apart by %.2g\n", backend_list[k]->name, networks[which].about,
                          sqrt(apart / size));
            if (!(apart > 0 && sqrt(apart / size) < 0.05))
                fail_msg("%s, %s: apart by %g", backend_list[k]->name, networks[which].about, sqrt(apart / size));
            free(a);
            free(b);
            unmake(&wide);
            unmake(&narrow);
        }
}

static void every_backend_has_the_same_networks(void **state)
{
    (void)state;
    for (int which = 0; which < NETWORKS; which++) {
        struct setting made, other;
        make(&made, &backend_ref, which);
        make(&other, backend_list[0], which);
        double one = objective(&made), two = objective(&other);
        if (!(fabs(one - two) < 1e-4 * fmax(1, fabs(one))))
            fail_msg("%s: %g and %g", networks[which].about, one, two);
        unmake(&made);
        unmake(&other);
    }
}

static void smaller_batches_use_the_same_network(void **state)
{
    (void)state;
    for (int which = 0; which < NETWORKS; which++) {
        struct setting made;
        make(&made, &backend_ref, which);
        const struct tensor *y = network_forward(made.network, &made.x, false);
        size_t width = tensor_width(y);
        double *whole = tensors_read(&made.t, y);
        struct tensor some = tensor_slice(&made.x, 1, 1);
        double *one = tensors_read(&made.t, network_forward(made.network, &some, false));
        assert_memory_equal(one, whole + width, width * sizeof *one);
        free(whole);
        free(one);
        unmake(&made);
    }
}

/* What was saved goes on as the network that it was saved from, dropout and running statistics included. */
static void a_loaded_network_goes_on_to_the_bit(void **state)
{
    (void)state;
    for (int which = 0; which < NETWORKS; which++) {
        struct setting made;
        make(&made, &backend_ref, which);
        objective(&made);
        save_network(&made);
        double trained = objective(&made);
        const struct tensor *y = network_forward(made.network, &made.x, false);
        double *before = tensors_read(&made.t, y);
        op_fill(made.t.backend, 7, &made.network->weights);
        objective(&made);
        load_network(&made);
        assert_true(objective(&made) == trained);
        double *after = tensors_read(&made.t, network_forward(made.network, &made.x, false));
        assert_memory_equal(before, after, tensor_count(&made.r) * sizeof *after);
        free(before);
        free(after);
        unmake(&made);
    }
}

static void weights_begin_random_within_their_limits(void **state)
{
    (void)state;
    struct setting made;
    for (int which = 0; which < 2; which++) { /* relu: He; tanh: Glorot */
        make(&made, &backend_ref, which);
        struct err err;
        struct network *fresh = network_create(made.t.backend, TENSOR_F32, &made.x, networks[which].settings, 9, &err);
        double limit = which ? sqrt(6.0 / (7 + 6)) : sqrt(6.0 / 7), most = 0;
        double *w = tensors_read(&made.t, &fresh->plan.parameters[0]->w),
               *b = tensors_read(&made.t, &fresh->plan.parameters[1]->w);
        for (int i = 0; i < 6 * 7; i++)
            most = fmax(most, fabs(w[i]));
        assert_true(most <= limit && most > 0.8 * limit);
        for (int i = 0; i < 6; i++)
            assert_true(b[i] == 0);
        free(w);
        free(b);
        network_destroy(fresh);
        unmake(&made);
    }
}

static void what_does_not_fit_is_refused_with_its_layer(void **state)
{
    (void)state;
    struct err err;
    struct tensors t;
    tensors_open(&t, &backend_ref, 1);
    struct tensor images = tensor_make(TENSOR_F32, 4, (size_t[]){2, 4, 4, 1}),
                  rows = tensor_make(TENSOR_F32, 2, (size_t[]){2, 16});
    assert_null(
        network_create(t.backend, TENSOR_F32, &images, LIST(CONV(3, 3, 1, 0, RELU), CONV(3, 3, 1, 0, RELU)), 1, &err));
    assert_string_equal(err.text, "layer 2 (conv): its window of 3 x 3 does not fit into images of 2 x 2");
    assert_null(network_create(t.backend, TENSOR_F32, &rows, LIST(POOL(max, 2)), 1, &err));
    assert_string_equal(err.text, "layer 1 (pool_max): a pool needs images; flatten comes behind it");
    const struct layer_setting odd = {
        .kind = &layer_residual,
        .activation = ACTIVATION_NONE,
        .inner = LIST(DENSE(3, NONE))
    };
    assert_null(network_create(t.backend, TENSOR_F32, &rows, LIST(odd), 1, &err));
    assert_has(err.text, "its two ways end in different shapes");
    struct tensor steps = tensor_make(TENSOR_F32, 3, (size_t[]){2, 4, 12});
    assert_null(network_create(t.backend, TENSOR_F32, &steps, LIST(ATTENTION(3, false, 0)), 1, &err));
    assert_string_equal(err.text, "layer 1 (attention): a width of 4 can't be divided among 3 heads");
    assert_null(network_create(t.backend, TENSOR_F32, &steps, LIST(ROWS(5, NONE), ATTENTION(1, false, 0)), 1, &err));
    assert_has(err.text, "layer 2 (attention): attention needs queries, keys and values side by side");
    assert_null(network_create(t.backend, TENSOR_F32, &rows, LIST(POSITIONS(true)), 1, &err));
    assert_has(err.text, "layer 1 (positions): positions are those of the steps of a sequence");
    assert_null(network_create(t.backend, TENSOR_F32, &steps, LIST(EMBEDDING(3, 4)), 1, &err));
    assert_has(err.text, "layer 1 (embedding): an embedding needs sequences of tokens");
    assert_null(network_create(t.backend, TENSOR_F32, &rows, LIST(LSTM(3, false)), 1, &err));
    assert_string_equal(err.text, "layer 1 (lstm): an LSTM needs sequences, [steps, numbers of a step]");
    assert_null(network_create(t.backend, TENSOR_F32, &images, LIST(CONV(3, 3, 1, 0, RELU), SUBSAMPLE(2, 1)), 1, &err));
    assert_string_equal(err.text, "layer 2 (subsample): it takes images of at most 2 channels");
    tensors_close(&t);
}

/* Every second pixel, and zeros for the channels that were not there. */
static void a_shortcut_without_weights_keeps_pixels(void **state)
{
    (void)state;
    for (size_t k = 0; backend_list[k]; k++) {
        struct err err;
        struct tensors t;
        tensors_open(&t, backend_list[k], 1);
        struct tensor x = tensors_given(&t, (float[]){1, 2, 3, 4, 5, 6, 7, 8, 9}, S(1, 3, 3, 1));
        struct network *network = network_create(t.backend, TENSOR_F32, &x, LIST(SUBSAMPLE(2, 2)), 1, &err);
        assert_non_null(network);
        const struct tensor *y = network_forward(network, &x, true);
        assert_true(y->axes == 4 && y->size[1] == 2 && y->size[2] == 2 && y->size[3] == 2);
        double *ys = tensors_read(&t, y);
        static const double wanted[] = {1, 0, 3, 0, 7, 0, 9, 0};
        assert_memory_equal(ys, wanted, sizeof wanted);
        free(ys);
        network_destroy(network);
        tensors_close(&t);
    }
}

/* --- steps allocate nothing --- */

static int allocated; /* calls, by the kind below */

static void *allocate_counted(void *self, size_t bytes, struct err *err)
{
    allocated++;
    return backend_ref.allocate(self, bytes, err);
}

static void no_step_allocates(void **state)
{
    (void)state;
    struct backend_kind counted = backend_ref;
    counted.allocate = allocate_counted;
    for (int which = 0; which < NETWORKS; which++) {
        struct setting made;
        make(&made, &counted, which);
        struct tensor dy =
            tensors_zeros(&made.t, TENSOR_F32, S(made.r.size[0], made.r.size[1], made.r.size[2], made.r.size[3]));
        int before = allocated;
        for (int n = 0; n < 3; n++) {
            network_forward(made.network, &made.x, true);
            op_copy(made.t.backend, &made.r, &dy);
            network_backward(made.network, &made.x, &dy);
        }
        assert_int_equal(allocated, before);
        unmake(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_of_every_weight_agree_with_differences),
        cmocka_unit_test(gradients_of_the_inputs_agree_with_differences),
        cmocka_unit_test(gradients_in_bf16_agree_with_those_in_f32),
        cmocka_unit_test(every_backend_has_the_same_networks),
        cmocka_unit_test(smaller_batches_use_the_same_network),
        cmocka_unit_test(a_loaded_network_goes_on_to_the_bit),
        cmocka_unit_test(weights_begin_random_within_their_limits),
        cmocka_unit_test(what_does_not_fit_is_refused_with_its_layer),
        cmocka_unit_test(a_shortcut_without_weights_keeps_pixels),
        cmocka_unit_test(no_step_allocates),
    };
    return cmocka_run_group_tests_name("layers", tests, NULL, NULL);
}
