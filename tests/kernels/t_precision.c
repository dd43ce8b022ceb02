/* Networks in bf16 with weights in fp32: they learn what those in fp32 learn, go on from checkpoints to the bit, and
 * are refused where nothing can multiply them. */
#include "common/mem.h"
#include "common/processor.h"
#include "tests/claims.h"
#include "tests/kernel_trial.h"
#include "tests/tensors.h"
#include "worker/backend/narrow.h"
#include "worker/nn/network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define S(...)    TENSORS_SIZES(__VA_ARGS__)
#define LIST(...) ((const struct layer_setting[]){__VA_ARGS__, {0}})

/* Whether a backend computes in bf16 here; the sentence why not. */
static bool takes_bf16(const struct backend_kind *kind, struct err *err)
{
    struct backend *backend = backend_create(kind, err);
    assert_non_null(backend);
    bool takes = kind->takes(backend->self, TENSOR_BF16, err) == 0;
    backend_destroy(backend);
    return takes;
}

/* --- which processors --- */

static void processors_are_told_by_their_flags(void **state)
{
    struct err err = {0};
    const char *path = path_in(state, "cpuinfo");
    write_file(path, "processor\t: 0\nmodel name\t: avx512_bf16 of old\nflags\t\t: fpu avx512f avx512_bf16x\n", 0600);
    assert_false(processor_has(path, "avx512_bf16"));
    assert_true(processor_has(path, "avx512_bf16x") && processor_has(path, "fpu"));
    assert_int_equal(narrow_check(path, &err), -1);
    assert_has(err.text, "precision bf16 needs a processor with AVX512-BF16 or AMX, and this one has neither");
    assert_has(err.text, "lists no flag avx512_bf16 or amx_bf16; write precision: fp32, or backend: ref");
    write_file(path, "flags : fpu amx_bf16\n", 0600);
    assert_int_equal(narrow_check(path, &err), 0);
    write_file(path, "flags : avx512_bf16", 0600);
    assert_int_equal(narrow_check(path, &err), 0);
    assert_int_equal(narrow_check(path_in(state, "missing"), &err), -1);
}

static int refuse_type(void *self, enum tensor_type type, struct err *err)
{
    (void)self;
    return type == TENSOR_F32 ? 0 : err_set(err, "no such type here");
}

static void a_network_in_a_precision_that_its_backend_refuses_is_not_made(void **state)
{
    (void)state;
    struct backend_kind plain = backend_ref;
    struct err err;
    struct tensors t;
    plain.takes = refuse_type;
    tensors_open(&t, &plain, 1);
    struct tensor x = tensors_random(&t, TENSOR_F32, S(2, 3));
    const struct layer_setting *layers = LIST({.kind = &layer_dense, .outputs = 2, .activation = ACTIVATION_NONE});
    assert_null(network_create(t.backend, TENSOR_BF16, &x, layers, 1, &err));
    assert_string_equal(err.text, "no such type here");
    struct network *wide = network_create(t.backend, TENSOR_F32, &x, layers, 1, &err);
    assert_non_null(wide);
    network_destroy(wide);
    tensors_close(&t);
}

/* --- networks --- */

static enum tensor_type came; /* the type of what last came to the layer below */

static int plan_double(struct layer *layer, struct plan *plan, struct err *err)
{
    (void)err;
    layer->y = layer->x_shape;
    plan_work(plan, &layer->y);
    plan_gradient(plan, layer);
    return 0;
}

static void forward_double(struct layer *layer, const struct pass *pass, const struct tensor *x)
{
    came = x->type;
    op_mix(pass->backend, 2, x, 0, &layer->y);
}

static void backward_double(struct layer *layer, const struct pass *pass, const struct tensor *x,
                            const struct tensor *dy)
{
    came = dy->type == x->type ? came : TENSOR_I32;
    op_mix(pass->backend, 2, dy, 0, &layer->dx);
}

/* y = 2 x, by a layer that says nothing of precision. */
static const struct layer_kind layer_double = {"double", plan_double, forward_double, backward_double};

static void a_layer_that_knows_f32_alone_computes_in_it(void **state)
{
    (void)state;
    struct err err;
    struct tensors t;
    tensors_open(&t, &backend_ref, 1);
    struct tensor x = tensors_random(&t, TENSOR_F32, S(4, 5)), dy = tensors_random(&t, TENSOR_F32, S(4, 3));
    const struct layer_setting dense = {.kind = &layer_dense, .outputs = 3, .activation = ACTIVATION_TANH};
    struct network *network =
        network_create(t.backend, TENSOR_BF16, &x, LIST(dense, {.kind = &layer_double}, dense), 1, &err);
    const struct tensor *y = network_forward(network, &x, true);
    assert_int_equal(y->type, TENSOR_F32);
    assert_int_equal(network->layers.layers[0].y.type, TENSOR_BF16);
    network_backward(network, &x, &dy);
    assert_int_equal(came, TENSOR_F32);
    assert_int_equal(network->gradients.type, TENSOR_F32);
    double *gradients = tensors_read(&t, &network->gradients), size = 0;
    for (size_t i = 0; i < tensor_count(&network->gradients); i++)
        size += fabs(gradients[i]);
    assert_true(size > 0.1);
    free(gradients);
    network_destroy(network);
    tensors_close(&t);
}

static double first_output(struct tensors *t, struct network *network, const struct tensor *x, bool training)
{
    double *ys = tensors_read(t, network_forward(network, x, training)), first = ys[0];
    free(ys);
    return first;
}

/* The copy in bf16 is made anew when the weights change, by a step or otherwise. */
static void what_operations_see_follows_the_weights(void **state)
{
    (void)state;
    struct err err;
    struct tensors t;
    tensors_open(&t, &backend_ref, 1);
    struct tensor x = tensors_given(&t, (float[]){1, 1}, S(1, 2));
    const struct layer_setting dense = {
        .kind = &layer_dense, .outputs = 1, .unbiased = true, .activation = ACTIVATION_NONE};
    struct network *network = network_create(t.backend, TENSOR_BF16, &x, LIST(dense), 1, &err);
    op_fill(t.backend, 1.5f, &network->weights);
    assert_true(first_output(&t, network, &x, true) == 3);
    op_fill(t.backend, 2, &network->weights); /* as an optimizer does behind a step */
    assert_true(first_output(&t, network, &x, false) == 4);
    op_fill(t.backend, 1.001f, &network->weights); /* 1 to 8 bits; the weights stay exact */
    network_weights_changed(network);
    assert_true(first_output(&t, network, &x, false) == 2);
    double *weights = tensors_read(&t, &network->plan.parameters[0]->w);
    assert_true(weights[0] == (double)1.001f);
    free(weights);
    network_destroy(network);
    tensors_close(&t);
}

/* --- kernels --- */

static void assert_near(const char *backend, const char *kernel, const char *params)
{
    struct tried tried[2];
    char *options = mem_format("{'data': 'examples/data/digits.csv', 'scaling': 'unit', 'backend': '%s'}", backend);
    for (int k = 0; k < 2; k++) {
        char *with = mem_format("{'precision': '%s', %s}", k ? "bf16" : "fp32", params);
        tried[k] = try_trial(&(struct trial_text){kernel, "val_loss", options, with, 1, 1});
        assert_int_equal(tried[k].run.ending, ENDING_COMPLETED);
        free(with);
    }
    double wide = tried_last(&tried[0], "train_loss"), narrow = tried_last(&tried[1], "train_loss");
    print_message("# %s, %s: %.6f and %.6f\n", backend, kernel, wide, narrow);
    assert_true(wide != narrow && fabs(wide - narrow) < 0.01);
    assert_true(fabs(tried_last(&tried[0], "val_loss") - tried_last(&tried[1], "val_loss")) < 0.01);
    tried_fini(&tried[0]);
    tried_fini(&tried[1]);
    free(options);
}

static void training_in_bf16_stays_near_that_in_fp32(void **state)
{
    (void)state;
    struct err err;
    for (size_t k = 0; backend_list[k]; k++) {
        const char *name = backend_list[k]->name;
        if (!takes_bf16(backend_list[k], &err)) {
            could_not_try("%s: %s", name, err.text);
            continue;
        }
        assert_near(name, "logreg", "'epochs': 5");
        assert_near(name, "mlp", "'epochs': 5, 'width': 64, 'depth': 2, 'lr': 0.05");
        assert_near(name, "mlp", "'epochs': 3, 'width': 64, 'optimizer': 'adamw', 'lr': 0.003, 'ema': 0.9");
        assert_near(name, "cnn", "'epochs': 2, 'padding': 1, 'filters1': 4, 'filters2': 8, 'width': 32");
        assert_near(name, "cnn",
                    "'epochs': 2, 'padding': 1, 'filters1': 4, 'filters2': 4, 'width': 16, "
                    "'batch_norm': true, 'activation': 'gelu'");
    }
}

/* The values of the objective as text, of a run by the plan. */
static char *run_cnn(const struct training_plan *plan, const char *precision)
{
    struct err err;
    struct buf values = {0};
    json_t *options = json_of_quoted("{'data': 'examples/data/digits.csv', 'epochs': 3}");
    json_t *params = json_of_quoted("{'padding': 1, 'filters1': 4, 'filters2': 8, 'width': 16,"
                                    " 'batch_norm': true, 'dense_dropout': 0.2, 'ema': 0.9}");
    json_object_set_new(params, "precision", json_string(precision));
    struct kernel_task task = {.options = options, .base = ".", .metric = "val_loss", .threads = 1};
    struct opened_kernel opened = {.kernel = kernel_find("cnn"), .metric = "val_loss"};
    assert_int_equal(opened.kernel->open(&task, &opened.self, &err), 0);
    struct training run = {.plan = *plan};
    training_run(&run, &opened, &(struct kernel_trial){.number = 1, .attempt = 1, .seed = 7, .params = params});
    for (uint32_t i = 0; i < run.sample_count; i++)
        buf_format(&values, "%s %lld=%.17g ", run.samples[i].metric, (long long)run.samples[i].step,
                   run.samples[i].value);
    training_fini(&run);
    opened.kernel->close(opened.self);
    json_decref(options);
    json_decref(params);
    return buf_take(&values);
}

static void a_trial_in_bf16_goes_on_to_the_bit(void **state)
{
    struct err err;
    if (!takes_bf16(backend_list[0], &err))
        skip_because("%s", err.text);
    struct training_plan plan = {.checkpoint = path_in(state, "checkpoint"), .until = 1};
    char *whole = run_cnn(&(struct training_plan){0}, "bf16"), *first = run_cnn(&plan, "bf16");
    plan.until = 0;
    plan.known = 1;
    char *rest = run_cnn(&plan, "bf16"), *both = mem_format("%s%s", first, rest);
    assert_string_equal(whole, both);
    free(whole);
    free(first);
    free(rest);
    free(both);
}

/* The weights that are saved are F32 either way. */
static void a_trial_goes_on_in_another_precision(void **state)
{
    struct err err;
    if (!takes_bf16(backend_list[0], &err))
        skip_because("%s", err.text);
    struct training_plan plan = {.checkpoint = path_in(state, "first"), .keep = true};
    free(run_cnn(&plan, "bf16"));
    plan = (struct training_plan){.checkpoint = path_in(state, "second"), .origin = path_in(state, "first"), .most = 4};
    char *narrow = run_cnn(&plan, "bf16");
    remove(plan.checkpoint);
    char *wide = run_cnn(&plan, "fp32");
    double a = 0, b = 0;
    assert_int_equal(sscanf(strstr(narrow, "val_loss 4="), "val_loss 4=%lf", &a), 1);
    assert_int_equal(sscanf(strstr(wide, "val_loss 4="), "val_loss 4=%lf", &b), 1);
    assert_true(a != b && fabs(a - b) < 0.02);
    free(narrow);
    free(wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(processors_are_told_by_their_flags, enter_scratch, leave_scratch),
        cmocka_unit_test(a_network_in_a_precision_that_its_backend_refuses_is_not_made),
        cmocka_unit_test(a_layer_that_knows_f32_alone_computes_in_it),
        cmocka_unit_test(what_operations_see_follows_the_weights),
        cmocka_unit_test(training_in_bf16_stays_near_that_in_fp32),
        cmocka_unit_test_setup_teardown(a_trial_in_bf16_goes_on_to_the_bit, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(a_trial_goes_on_in_another_precision, enter_scratch, leave_scratch),
    };
    return cmocka_run_group_tests_name("precision", tests, NULL, NULL);
}
