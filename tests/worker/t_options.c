/* The options of gannet-worker, and what --show-slots shows. */
#include "worker/agent/worker_options.h"
#include "tests/claims.h"
#include "worker/agent/show_slots.h"

#include <stdlib.h>
#include <string.h>

/* Reads words up to NULL. */
static int read_words(struct worker_options *out, struct err *err, const char *const *words)
{
    int count = 0;
    while (words[count])
        count++;
    return worker_options_read(count, (char *const *)(uintptr_t)words, out, err);
}

#define READ(out, err, ...) read_words((out), (err), (const char *const[]){"gannet-worker", __VA_ARGS__, NULL})

static void options_are_read_with_their_values(void **state)
{
    (void)state;
    struct worker_options options;
    struct err err = {""};
    assert_int_equal(READ(&options, &err, "--rundir", "r", "--share=2/3", "--give-up", "5s", "--log-level=debug"), 0);
    assert_string_equal(options.rundir, "r");
    assert_int_equal(options.share.part, 2);
    assert_int_equal(options.share.parts, 3);
    assert_true(options.give_up == 5);
    assert_int_equal(READ(&options, &err, "--show-slots", "--cpus=4", "--memory", "2G", "--bind", "numa", "--json"), 0);
    assert_true(options.show_slots && options.json && !options.help);
    assert_int_equal(options.request.cpus, 4);
    assert_true(options.request.memory == UINT64_C(2) << 30);
    assert_int_equal(options.request.bind, TASK_BIND_NUMA);
}

static void assert_refused(const char *word, const char *value, const char *sentence)
{
    struct worker_options options;
    struct err err = {""};
    assert_int_equal(READ(&options, &err, word, value), -1);
    assert_has(err.text, sentence);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    assert_refused("--node", "a,b", "'a,b' is no node's name");
    assert_refused("--node", "", "is no node's name");
    assert_refused("--runder", "x", "did you mean --rundir?");
    assert_refused("--wrong", "x", "there is no option --wrong");
    assert_refused("rundir", "x", "'rundir' is no option");
    assert_refused("--rundir", NULL, "--rundir needs a value: --rundir DIR");
    assert_refused("--json=1", "x", "--json takes no value");
    assert_refused("--share", "3/2", "--share: '3/2' is no share");
    assert_refused("--share", "0/2", "is no share");
    assert_refused("--share", "1/2x", "is no share");
    assert_refused("--give-up", "5", "--give-up: '5' has no unit");
    assert_refused("--log-level", "loud", "none of debug, info");
    assert_refused("--cpus", "-1", "is no count");
    assert_refused("--memory", "5", "has no unit");
    assert_refused("--bind", "gpu", "none of none, core, socket, numa");
}

static void the_help_names_every_option(void **state)
{
    (void)state;
    static const char *const names[] = {"--rundir DIR", "--connect", "--share K/N", "--topology",
                                        "--trainer",    "--give-up", "--log-level", "--show-slots",
                                        "--json",       "--version", "--help",      "Exit status"};
    struct buf help = {0};
    worker_options_help(&help);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_has(buf_str(&help), names[i]);
    buf_fini(&help);
}

static void slots_are_shown_to_people_and_programs(void **state)
{
    (void)state;
    struct topology topology;
    struct err err = {""};
    struct buf text = {0}, json = {0}, refused = {0};
    struct topology_source source = {.machine = "tests/worker/topologies/two-sockets.xml",
                                     .gpus = "tests/worker/topologies/two-sockets.gpus"};
    struct slot_request request = {.gpus = 2, .bind = TASK_BIND_CORE}, large = {.gpus = 5};
    assert_int_equal(topology_read(&source, &topology, &err), 0);
    assert_int_equal(show_slots(&topology, &request, false, false, &text, &err), 0);
    assert_has(buf_str(&text), "2 sockets, 16 cores, 2 NUMA nodes, 4 x NVIDIA H200");
    assert_has(buf_str(&text), "slot 1: 8 cores, cpus 8-15, NUMA node 1, GPUs 2-3\n");
    assert_int_equal(show_slots(&topology, &request, false, true, &json, &err), 0);
    json_t *read = json_loads(buf_str(&json), 0, NULL);
    assert_int_equal(json_array_size(json_object_get(read, "slots")), 2);
    json_decref(read);
    assert_int_equal(show_slots(&topology, &large, false, true, &refused, &err), -1);
    assert_string_equal(err.text, "a trial wants 5 GPUs, this node has 4");
    assert_has(buf_str(&refused), "\"error\": \"a trial wants 5 GPUs");
    topology_fini(&topology);
    buf_fini(&text);
    buf_fini(&json);
    buf_fini(&refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_read_with_their_values),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(the_help_names_every_option),
        cmocka_unit_test(slots_are_shown_to_people_and_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
