/* Asks and tells as lines of JSON; see serve.h. */
#include "cli/session/serve.h"
#include "cli/view/json.h"
#include "cli/session/ask_tell_loop.h"
#include "cli/status.h"
#include "common/json.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ASKED = 10000, LONGEST_LINE = 1 << 20 };

/* --- one request --- */

static void say_error(json_t *answer, const struct err *err)
{
    json_object_set_new(answer, "error", json_of_text(err->text));
}

static void serve_tell(struct ask_tell *ask_tell, const json_t *result, json_t *answer)
{
    struct err err;
    if (loop_tell(ask_tell, result, &err))
        say_error(answer, &err);
    else
        json_object_set(answer, "told", json_object_get(result, "trial"));
}

/* {"ask": 4}: up to four trials; {"ask": true}: one. */
static void serve_ask(struct ask_tell *ask_tell, const json_t *asked, json_t *answer)
{
    struct err err = {0};
    int status = STATUS_OK;
    json_int_t count = json_is_integer(asked) ? json_integer_value(asked) : json_is_true(asked);
    json_t *trials = json_array(), *trial;
    for (; count > 0 && json_array_size(trials) < MOST_ASKED && (trial = loop_ask(ask_tell, &status, &err)); count--)
        json_array_append_new(trials, trial);
    json_object_set_new(answer, "trials", trials);
    if (status == STATUS_NOT_FOUND)
        json_object_set_new(answer, "no_more", json_true());
    else if (status)
        say_error(answer, &err);
}

/* What is told in the same line counts already. -1 with a sentence when it can't be written. */
static int serve_best(struct ask_tell *ask_tell, json_t *answer, struct err *err)
{
    struct err why;
    if (ask_tell_commit(ask_tell, err))
        return -1;
    json_t *best = reader_best(ask_tell_reader(ask_tell), &why);
    if (best)
        json_object_set_new(answer, "best", best);
    else
        say_error(answer, &why);
    return 0;
}

static int serve_line(struct ask_tell *ask_tell, const char *line, size_t length, json_t *answer, struct err *err)
{
    static const char *const members[] = {"tell", "ask", "best"};
    json_error_t why;
    json_t *request = json_loadb(line, length, JSON_REJECT_DUPLICATES, &why);
    bool known = false;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        known |= json_object_get(request, members[i]) != NULL;
    if (!known)
        json_object_set_new(answer, "error",
                            json_string(request ? "a request has tell, ask or best" : "the line is no JSON object"));
    const json_t *tell = json_object_get(request, "tell"), *ask = json_object_get(request, "ask");
    int failed = 0;
    if (tell)
        serve_tell(ask_tell, tell, answer);
    if (ask && !json_object_get(answer, "error"))
        serve_ask(ask_tell, ask, answer);
    if (json_is_true(json_object_get(request, "best")))
        failed = serve_best(ask_tell, answer, err);
    json_decref(request);
    return failed;
}

/* --- lines --- */

/* Answers all whole lines of what was read, and drops them. */
static int serve_lines(struct console *console, struct ask_tell *ask_tell, struct buf *read_so_far, struct err *err)
{
    struct buf answers = {0};
    size_t done = 0;
    int failed = 0;
    for (const char *end; !failed && read_so_far->length > done &&
                          (end = memchr(read_so_far->data + done, '\n', read_so_far->length - done));) {
        size_t length = (size_t)(end - read_so_far->data) - done;
        json_t *answer = json_object();
        failed = serve_line(ask_tell, read_so_far->data + done, length, answer, err);
        json_add(answer, &answers);
        buf_text(&answers, "\n");
        json_decref(answer);
        done += length + 1;
    }
    failed = failed || ask_tell_commit(ask_tell, err);
    if (!failed) {
        console_write(console->out, &answers);
        fflush(console->out);
    }
    buf_fini(&answers);
    buf_drop(read_so_far, done);
    return failed ? -1 : 0;
}

int serve_run(struct console *console, struct ask_tell *ask_tell, int in)
{
    struct buf read_so_far = {0};
    struct err err;
    char piece[65536];
    ssize_t length;
    int failed = 0;
    while (!failed && ((length = read(in, piece, sizeof piece)) > 0 || (length < 0 && errno == EINTR))) {
        if (length < 0)
            continue;
        buf_add(&read_so_far, piece, (size_t)length);
        failed = serve_lines(console, ask_tell, &read_so_far, &err);
        if (!failed && read_so_far.length > LONGEST_LINE)
            failed = err_set(&err, "a line is longer than 1 MiB");
    }
    buf_fini(&read_so_far);
    return failed ? console_fail(console, STATUS_FAILED, &err) : STATUS_OK;
}
