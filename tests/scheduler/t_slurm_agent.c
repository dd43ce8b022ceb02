/* The agent, line by line, with a module made here: it answers whatever comes, and asks the module only what is right.
 */
#include "scheduler/slurm/slurm_agent.h"
#include "common/mem.h"
#include "tests/claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *library(void)
{
    return "1.2.3";
}

static int open_well(struct slurm_error *error)
{
    (void)error;
    return 0;
}

static int open_badly(struct slurm_error *error)
{
    snprintf(error->text, sizeof error->text, "SLURM_CONF names nothing");
    return -1;
}

static int submit(const struct slurm_request *request, uint32_t *id, struct slurm_error *error)
{
    (void)error;
    *id = request->minutes;
    return 0;
}

static int job(uint32_t id, struct slurm_jobs *out, struct slurm_error *error)
{
    (void)error;
    out->items = MEM_ARRAY(struct slurm_job, 2);
    out->count = 2;
    out->items[0] = (struct slurm_job){.id = id, .element = 0};
    out->items[1] = (struct slurm_job){.id = id + 1, .element = 1};
    return 0;
}

static int cancel(const char *which, int number, struct slurm_error *error)
{
    *error = (struct slurm_error){.number = 2000 + number, .unclear = true};
    snprintf(error->text, sizeof error->text, "can't end %s", which);
    return -1;
}

static int partitions(char *out, uint32_t size, struct slurm_error *error)
{
    (void)error;
    snprintf(out, size, "a,,b");
    return 0;
}

static const struct slurm_module well = {.interface = SLURM_INTERFACE,
                                         .built_for = "22.05.8",
                                         .library = library,
                                         .open = open_well,
                                         .submit = submit,
                                         .job = job,
                                         .cancel = cancel,
                                         .partitions = partitions};

/* What the agent answers to these lines; valid until the next call. */
static const char *say(const struct slurm_module *module, const char *lines)
{
    static char text[65536];
    int ends[2], answers[2];
    size_t length = 0;
    ssize_t count;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_int_equal(pipe(answers), 0);
    assert_int_equal(write(ends[0], lines, strlen(lines)), (ssize_t)strlen(lines));
    shutdown(ends[0], SHUT_WR);
    assert_int_equal(slurm_agent_serve(module, "slurm.so", ends[1], answers[1]), 0);
    close(answers[1]);
    while ((count = read(answers[0], text + length, sizeof text - 1 - length)) > 0)
        length += (size_t)count;
    text[length] = '\0';
    close(answers[0]), close(ends[0]), close(ends[1]);
    return text;
}

static void a_line_is_answered_by_a_line(void **state)
{
    (void)state;
    assert_string_equal(say(&well, "{\"call\":\"submit\",\"request\":{\"minutes\":7}}\n"
                                   "{\"call\":\"partitions\"}\n"),
                        "{\"note\":\"open\"}\n{\"id\":7}\n{\"partitions\":[\"a\",\"b\"]}\n");
}

static void all_jobs_of_an_array_are_answered(void **state)
{
    (void)state;
    const char *answer = say(&well, "{\"call\":\"job\",\"id\":12}\n");
    assert_has(answer, "\"id\":12");
    assert_has(answer, "\"id\":13");
}

static void about_needs_no_configuration(void **state)
{
    (void)state;
    struct slurm_module badly = well;
    badly.open = open_badly;
    assert_string_equal(say(&badly, "{\"call\":\"about\"}\n"),
                        "{\"module\":\"slurm.so\",\"built_for\":\"22.05.8\",\"library\":\"1.2.3\"}\n");
}

static void a_configuration_that_fails_is_the_answer(void **state)
{
    (void)state;
    struct slurm_module badly = well;
    badly.open = open_badly;
    assert_string_equal(say(&badly, "{\"call\":\"job\",\"id\":1}\n"),
                        "{\"error\":\"SLURM_CONF names nothing\",\"number\":0,\"unclear\":false}\n");
}

static void an_error_says_whether_it_is_unclear(void **state)
{
    (void)state;
    assert_has(say(&well, "{\"call\":\"cancel\",\"which\":\"12_3\",\"signal\":10}\n"),
               "{\"error\":\"can't end 12_3\",\"number\":2010,\"unclear\":true}\n");
}

static void what_is_no_question_is_an_error(void **state)
{
    (void)state;
    static const char *const wrong[] = {"hello",
                                        "",
                                        "[]",
                                        "{}",
                                        "{\"call\":7}",
                                        "{\"call\":\"shutdown\"}",
                                        "{\"call\":\"job\"}",
                                        "{\"call\":\"job\",\"id\":0}",
                                        "{\"call\":\"job\",\"id\":-1}",
                                        "{\"call\":\"job\",\"id\":4294967295}",
                                        "{\"call\":\"job\",\"id\":\"12\"}",
                                        "{\"call\":\"cancel\"}",
                                        "{\"call\":\"cancel\",\"which\":\"1\",\"signal\":65}",
                                        "{\"call\":\"cancel\",\"which\":\"1\",\"signal\":-9}",
                                        "{\"call\":\"submit\"}",
                                        "{\"call\":\"submit\",\"request\":{\"environment\":[null]}}",
                                        "{\"call\":\"find\",\"comment\":null}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *line = mem_format("%s\n", wrong[i]);
        assert_has(say(&well, line), "\"error\":");
        free(line);
    }
}

static void a_line_without_an_end_is_no_question(void **state)
{
    (void)state;
    assert_string_equal(say(&well, "{\"call\":\"about\"}"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_answered_by_a_line),
        cmocka_unit_test(all_jobs_of_an_array_are_answered),
        cmocka_unit_test(about_needs_no_configuration),
        cmocka_unit_test(a_configuration_that_fails_is_the_answer),
        cmocka_unit_test(an_error_says_whether_it_is_unclear),
        cmocka_unit_test(what_is_no_question_is_an_error),
        cmocka_unit_test(a_line_without_an_end_is_no_question),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
