/* What is saved of a network goes through pieces of memory whose size does not depend on the network's. */
#include "tests/claims.h"
#include "worker/nn/optimizer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The reference backend with an eye on the host's memory that copies need. */
static size_t largest, copied;

static void look_at(const struct tensor *tensor)
{
    size_t bytes = tensor_bytes(tensor);
    largest = bytes > largest ? bytes : largest;
    copied += bytes;
}

static void spy_upload(void *self, const void *host, const struct tensor *to)
{
    look_at(to);
    backend_ref.upload(self, host, to);
}

static void spy_download(void *self, const struct tensor *from, void *host)
{
    look_at(from);
    backend_ref.download(self, from, host);
}

/* A network of several pieces, with an optimizer and a mean of weights: five arrays of its size. */
struct trained {
    struct network *network;
    struct optimizer optimizer;
    struct average average;
};

static void create_trained(struct trained *made, struct backend *backend, uint64_t seed)
{
    static const struct layer_setting layers[] = {
        {.kind = &layer_dense, .outputs = 700, .activation = ACTIVATION_RELU},
        {.kind = &layer_dense, .outputs = 10, .activation = ACTIVATION_NONE},
        {0},
    };
    struct err err;
    struct optimizer_rule rule = {.kind = OPTIMIZER_ADAM, .beta1 = 0.9f, .beta2 = 0.99f, .epsilon = 1e-8f};
    struct tensor shape = tensor_make(TENSOR_F32, 2, (size_t[]){1, 1000});
    made->network = network_create(backend, TENSOR_F32, &shape, layers, seed, &err);
    assert_non_null(made->network);
    assert_int_equal(optimizer_init(&made->optimizer, &rule, made->network, &err), 0);
    assert_int_equal(average_init(&made->average, 0.9, made->network, &err), 0);
    op_fill(backend, 0.01f * (float)seed, &made->network->gradients);
    optimizer_update(&made->optimizer, 0.1);
    average_update(&made->average);
}

static void destroy_trained(struct trained *made)
{
    average_fini(&made->average);
    optimizer_fini(&made->optimizer);
    network_destroy(made->network);
}

static void save_trained(const struct trained *made, FILE *file)
{
    struct pack_writer out = {.file = file};
    network_save(made->network, &out);
    optimizer_save(&made->optimizer, &out);
    average_save(&made->average, &out);
    assert_int_equal(out.error, 0);
    assert_int_equal(out.length, (uint64_t)ftell(file));
}

static void load_trained(struct trained *made, FILE *file)
{
    struct pack_reader in = {.file = file, .left = (uint64_t)ftell(file)};
    rewind(file);
    network_load(made->network, &in);
    optimizer_load(&made->optimizer, &in);
    average_load(&made->average, &in);
    assert_int_equal(pack_end(&in, NULL), 0);
}

static void arrays_go_through_pieces_of_memory_both_ways(void **state)
{
    (void)state;
    struct backend_kind kind = backend_ref;
    kind.upload = spy_upload;
    kind.download = spy_download;
    struct backend *backend = backend_create(&kind, NULL);
    struct trained one, two;
    FILE *file = tmpfile(), *again = tmpfile();
    create_trained(&one, backend, 1);
    create_trained(&two, backend, 2);
    size_t bytes = tensor_bytes(&one.network->weights);
    assert_true(bytes > 2 * PACK_PIECE);
    largest = copied = 0;
    save_trained(&one, file);
    assert_true(largest <= PACK_PIECE);
    assert_true(copied == 4 * bytes); /* weights, both of Adam's means, the mean of weights */
    largest = copied = 0;
    load_trained(&two, file);
    assert_true(largest <= PACK_PIECE);
    assert_true(copied == 4 * bytes);
    save_trained(&two, again);
    assert_int_equal(ftell(again), ftell(file));
    rewind(file), rewind(again);
    for (int a, b; (a = getc(file)) != EOF;)
        assert_int_equal(a, (b = getc(again)));
    fclose(file), fclose(again);
    destroy_trained(&one);
    destroy_trained(&two);
    backend_destroy(backend);
}

/* A network of two dense layers, 4 - width - 3. */
static struct network *create_small(struct backend *backend, size_t width)
{
    struct layer_setting layers[] = {
        {.kind = &layer_dense, .outputs = width, .activation = ACTIVATION_RELU},
        {.kind = &layer_dense, .outputs = 3, .activation = ACTIVATION_NONE},
        {0},
    };
    struct tensor shape = tensor_make(TENSOR_F32, 2, (size_t[]){1, 4});
    struct network *network = network_create(backend, TENSOR_F32, &shape, layers, 1, NULL);
    assert_non_null(network);
    return network;
}

/* Each parameter begins at a cache line: both networks have as many numbers in their array of weights. */
static void weights_of_other_layers_are_not_taken_for_these(void **state)
{
    (void)state;
    struct backend *backend = backend_create(&backend_ref, NULL);
    struct network *seven = create_small(backend, 7), *eight = create_small(backend, 8);
    assert_int_equal(tensor_bytes(&seven->weights), tensor_bytes(&eight->weights));
    for (int same = 0; same < 2; same++) {
        FILE *file = tmpfile();
        struct pack_writer out = {.file = file};
        network_save(seven, &out);
        struct pack_reader in = {.file = file, .left = out.length};
        rewind(file);
        network_load(same ? seven : eight, &in);
        assert_int_equal(pack_end(&in, NULL), same ? 0 : -1);
        fclose(file);
    }
    network_destroy(seven);
    network_destroy(eight);
    backend_destroy(backend);
}

static int go_on_with(struct network *network, enum optimizer_kind saved, enum optimizer_kind taken)
{
    struct optimizer before, after;
    FILE *file = tmpfile();
    struct pack_writer out = {.file = file};
    assert_int_equal(optimizer_init(&before, &(struct optimizer_rule){.kind = saved}, network, NULL), 0);
    assert_int_equal(optimizer_init(&after, &(struct optimizer_rule){.kind = taken}, network, NULL), 0);
    optimizer_save(&before, &out);
    struct pack_reader in = {.file = file, .left = out.length};
    rewind(file);
    optimizer_load(&after, &in);
    optimizer_fini(&before);
    optimizer_fini(&after);
    int result = pack_end(&in, NULL);
    fclose(file);
    return result;
}

/* Adam's mean of gradients is no mean of squared steps, which adadelta has in its place. */
static void what_another_optimizer_keeps_is_not_taken(void **state)
{
    (void)state;
    struct backend *backend = backend_create(&backend_ref, NULL);
    struct network *network = create_small(backend, 7);
    assert_int_equal(go_on_with(network, OPTIMIZER_ADAM, OPTIMIZER_ADADELTA), -1);
    assert_int_equal(go_on_with(network, OPTIMIZER_ADAM, OPTIMIZER_ADAM), 0);
    assert_int_equal(go_on_with(network, OPTIMIZER_ADAM, OPTIMIZER_ADAMW), 0);
    network_destroy(network);
    backend_destroy(backend);
}

/* --- numbers and arrays --- */

static void what_was_added_is_taken_out_in_order(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    double numbers[] = {1, 2, 3}, taken[3];
    struct pack_writer out = {.file = file};
    pack_add(&out, numbers, 3, sizeof *numbers);
    pack_add(&out, NULL, 5, 1);
    pack_add_bytes(&out, "abc", 3);
    struct pack_reader in = {.file = file, .left = out.length};
    rewind(file);
    pack_take(&in, taken, 3, sizeof *taken);
    pack_take(&in, NULL, 5, 1);
    assert_int_equal(pack_end(&in, NULL), -1);
    char text[3];
    assert_true(pack_take_bytes(&in, text, 3));
    assert_int_equal(pack_end(&in, NULL), 0);
    assert_memory_equal(taken, numbers, sizeof taken);
    assert_memory_equal(text, "abc", 3);
    assert_int_equal(pack_hash_value(&in.hash), pack_hash_value(&out.hash));
    fclose(file);
}

static void the_hash_does_not_depend_on_the_parts(void **state)
{
    (void)state;
    unsigned char bytes[100];
    struct pack_hash whole = {0};
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 37);
    pack_hash_add(&whole, bytes, sizeof bytes);
    for (size_t part = 1; part < sizeof bytes; part++) {
        struct pack_hash parts = {0};
        for (size_t at = 0; at < sizeof bytes; at += part)
            pack_hash_add(&parts, bytes + at, sizeof bytes - at < part ? sizeof bytes - at : part);
        assert_true(pack_hash_value(&parts) == pack_hash_value(&whole));
        pack_hash_add(&parts, "", 1);
        assert_true(pack_hash_value(&parts) != pack_hash_value(&whole));
    }
}

static void an_array_of_another_length_is_torn(void **state)
{
    (void)state;
    const size_t lengths[] = {0, 23, 25, SIZE_MAX, SIZE_MAX / 2, (size_t)1 << 40};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        FILE *file = tmpfile();
        double taken[3] = {7, 7, 7};
        struct pack_writer out = {.file = file};
        pack_add_length(&out, lengths[i]);
        pack_add_bytes(&out, "some bytes behind, but not those", 24);
        struct pack_reader in = {.file = file, .left = out.length};
        rewind(file);
        pack_take(&in, taken, 3, sizeof *taken);
        assert_true(in.torn);
        assert_true(taken[0] == 7);
        assert_false(pack_take_length(&in, 0));
        assert_int_equal(pack_end(&in, NULL), -1);
        fclose(file);
    }
}

static void a_write_that_fails_is_the_last_one(void **state)
{
    (void)state;
    FILE *file = fopen("/dev/full", "w");
    setvbuf(file, NULL, _IONBF, 0);
    struct pack_writer out = {.file = file};
    pack_add(&out, "abc", 3, 1);
    assert_int_equal(out.error, ENOSPC);
    assert_int_equal(out.length, 0);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_go_through_pieces_of_memory_both_ways),
        cmocka_unit_test(weights_of_other_layers_are_not_taken_for_these),
        cmocka_unit_test(what_another_optimizer_keeps_is_not_taken),
        cmocka_unit_test(what_was_added_is_taken_out_in_order),
        cmocka_unit_test(the_hash_does_not_depend_on_the_parts),
        cmocka_unit_test(an_array_of_another_length_is_torn),
        cmocka_unit_test(a_write_that_fails_is_the_last_one),
    };
    return cmocka_run_group_tests_name("stored", tests, NULL, NULL);
}
