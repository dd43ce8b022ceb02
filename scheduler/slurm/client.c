/* Asking the agent; see client.h.
 *
 * Start-up: the first question starts the agent. Operation: the question at the front of the queue is written to it,
 * one line; its line is the answer, and the next question goes out. The agent may instead end, close its end or stay
 * silent until the deadline: it is killed then, the question is answered with a sentence, and the next one starts a new
 * agent. What it wrote to its error output meanwhile, which is where libslurm says what is wrong, is quoted. Answers
 * are given by the loop alone, so that an `answered` may ask again. */
#include "scheduler/slurm/client.h"
#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/proc.h"
#include "common/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* All records of a large site, a few hundred bytes each, fit into this; more is no answer. */
enum { LONGEST_ANSWER = 256 << 20, LONGEST_COMPLAINT = 64 << 10 };

struct client_question {
    char *line;
    double seconds;
    slurm_answered *answered;
    void *context;
};

struct slurm_client {
    struct loop *loop;
    char *program;
    struct ring questions; /* of struct client_question; the front one is with the agent while `deadline` is set */
    struct loop_watch *deadline, *kick;

    struct proc *agent; /* NULL: none runs; the rest is valid only while it does */
    bool open;          /* it has read Slurm's configuration, so that a question may have reached the controller */
    int talk, complain; /* our ends of its input and output, and of its error output */
    struct loop_watch *readable, *writable, *complaining;
    struct buf out, in, complaint;
};

static void schedule_question(struct slurm_client *client);

/* --- the agent's life --- */

static void stop_agent(struct slurm_client *client)
{
    struct loop_watch **watches[] = {&client->readable, &client->writable, &client->complaining};
    for (size_t i = 0; i < sizeof watches / sizeof *watches; i++) {
        loop_remove(*watches[i]);
        *watches[i] = NULL;
    }
    if (!client->agent)
        return;
    proc_destroy(client->agent);
    close(client->talk);
    close(client->complain);
    client->agent = NULL;
    client->open = false;
    buf_clear(&client->out);
    buf_clear(&client->in);
    buf_clear(&client->complaint);
}

static void read_complaint(void *context)
{
    struct slurm_client *client = context;
    char bytes[LONGEST_COMPLAINT];
    ssize_t count = read(client->complain, bytes, sizeof bytes);
    if (count > 0)
        buf_add(&client->complaint, bytes, (size_t)count);
    if (client->complaint.length > LONGEST_COMPLAINT)
        buf_drop(&client->complaint, client->complaint.length - LONGEST_COMPLAINT);
    if (count == 0) {
        loop_remove(client->complaining);
        client->complaining = NULL;
    }
}

static void agent_ended(void *context, const struct proc_exit *how);
static void read_answers(void *context);

/* Starts the agent with one socket for its input and output, so that writing to a dead one raises no signal, and a pipe
 * for what it complains about. */
static int start_agent(struct slurm_client *client, struct err *err)
{
    int talk[2], complain[2];
    const char *const argv[] = {client->program, "slurm-agent", NULL};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, talk))
        return err_errno(err, "can't make a socket for the Slurm agent");
    if (pipe2(complain, O_CLOEXEC)) {
        close(talk[0]), close(talk[1]);
        return err_errno(err, "can't make a pipe for the Slurm agent");
    }
    const struct proc_setup setup = {
        .argv = argv, .fd0 = talk[1], .fd1 = talk[1], .fd2 = complain[1], .fd3 = -1, .apart = true};
    client->agent = proc_start(client->loop, &setup, agent_ended, client, err);
    close(talk[1]), close(complain[1]);
    if (!client->agent) {
        close(talk[0]), close(complain[0]);
        return -1;
    }
    client->talk = talk[0];
    client->complain = complain[0];
    fcntl(client->talk, F_SETFL, O_NONBLOCK);
    fcntl(client->complain, F_SETFL, O_NONBLOCK);
    client->readable = loop_read(client->loop, client->talk, read_answers, client);
    client->complaining = loop_read(client->loop, client->complain, read_complaint, client);
    return 0;
}

/* --- answering --- */

/* Gives the front question its answer and goes on with the next. */
static void answer_front(struct slurm_client *client, const json_t *object, int number, const char *error)
{
    struct client_question question = *(struct client_question *)ring_front(&client->questions);
    loop_remove(client->deadline);
    client->deadline = NULL;
    ring_pop(&client->questions);
    free(question.line);
    question.answered(question.context, object, number, error);
    schedule_question(client);
}

/* One line of what libslurm wrote, without "gannet: error: " in front. */
static const char *bare_line(const char *line)
{
    static const char *const fronts[] = {"gannet: ", "slurm-agent: ", "error: ", "fatal: "};
    for (size_t i = 0; i < sizeof fronts / sizeof *fronts; i++)
        if (strncmp(line, fronts[i], strlen(fronts[i])) == 0)
            line += strlen(fronts[i]);
    return line;
}

/* Takes what says most of its error output: the last line, in which libslurm says what it stumbled over, or the last
 * one about Munge, behind which follow its consequences. "" when there is none. free() it. */
static char *take_complaint(struct slurm_client *client)
{
    const char *best = "";
    read_complaint(client);
    for (char *at = client->complaint.data, *line; client->complaint.length && (line = strsep(&at, "\n"));)
        if (*line && (!strstr(best, "Munge") || strstr(line, "Munge")))
            best = line;
    char *taken = mem_text(bare_line(best));
    buf_clear(&client->complaint);
    return taken;
}

/* What can be done about the reasons for which libslurm ends the process. */
static const char *advice_for(const char *complaint)
{
    if (strstr(complaint, "configuration source"))
        return "; there is no slurm.conf here: is this a machine of the cluster? SLURM_CONF may name the file";
    if (strstr(complaint, "slurm.conf") || strstr(complaint, "onfiguration"))
        return "; Slurm's configuration on this machine is at fault: its administrator can mend it";
    return "";
}

/* The agent is gone, or not to be waited for: the front question is answered, and the next one gets a new agent. */
static void give_up(struct slurm_client *client, const char *why)
{
    char *complaint = take_complaint(client);
    char *sentence = mem_format("%s%s%s%s", why, *complaint ? ": " : "", complaint, advice_for(complaint));
    int number = client->open ? SLURM_UNCLEAR : 0;
    stop_agent(client);
    if (client->deadline)
        answer_front(client, NULL, number, sentence);
    free(sentence);
    free(complaint);
}

static void too_late(void *context)
{
    struct slurm_client *client = context;
    const struct client_question *question = ring_front(&client->questions);
    read_answers(client); /* what just came: an answer, or the note that matters for what is unclear */
    if (!client->deadline)
        return;
    char *why = mem_format("Slurm did not answer within %g s", question->seconds);
    give_up(client, why);
    free(why);
}

/* What libslurm does when its configuration can't be used: it ends the process. */
static void agent_ended(void *context, const struct proc_exit *how)
{
    struct slurm_client *client = context;
    read_answers(client); /* what it said last */
    if (!client->agent)
        return;
    read_complaint(client);
    char *why = how->by_signal             ? mem_format("the Slurm agent was killed by signal %d", how->number)
                : client->complaint.length ? mem_text("Slurm can't be used here")
                                           : mem_format("the Slurm agent ended with status %d", how->number);
    give_up(client, why);
    free(why);
}

/* An error of Slurm's, with what libslurm wrote beside it when that says more. */
static void answer_error(struct slurm_client *client, const json_t *object)
{
    const char *said = json_string_value(json_object_get(object, "error"));
    int number = (int)json_integer_value(json_object_get(object, "number"));
    char *complaint = take_complaint(client);
    bool more = *complaint && said && !strstr(said, complaint);
    char *sentence = mem_format("%s%s%s%s", said ? said : "the Slurm agent's error has no text", more ? " (" : "",
                                more ? complaint : "", more ? ")" : "");
    answer_front(client, NULL, json_is_true(json_object_get(object, "unclear")) ? SLURM_UNCLEAR : number, sentence);
    free(sentence);
    free(complaint);
}

static void take_line(struct slurm_client *client, const char *line, size_t length)
{
    json_t *object = json_loadb(line, length, 0, NULL);
    if (!client->deadline || !json_is_object(object)) {
        give_up(client, "the Slurm agent said what is no answer");
    } else if (json_object_get(object, "note")) {
        client->open = true;
    } else if (json_object_get(object, "error")) {
        answer_error(client, object);
    } else {
        free(take_complaint(client)); /* what libslurm wrote although it did what it was asked for */
        answer_front(client, object, 0, NULL);
    }
    json_decref(object);
}

/* Takes whole lines off what was read, as long as the same agent lives. */
static void take_lines(struct slurm_client *client)
{
    const char *end;
    while (client->agent && client->in.length && (end = memchr(client->in.data, '\n', client->in.length))) {
        size_t length = (size_t)(end - client->in.data);
        char *line = mem_text_n(client->in.data, length);
        buf_drop(&client->in, length + 1);
        take_line(client, line, length);
        free(line);
    }
}

/* Reads what is there. The end says nothing yet: agent_ended follows, or the deadline. */
static void read_answers(void *context)
{
    struct slurm_client *client = context;
    char bytes[65536];
    while (client->readable) {
        ssize_t count = read(client->talk, bytes, sizeof bytes);
        if (count == 0) {
            loop_remove(client->readable);
            client->readable = NULL;
        }
        if (count == 0 || (count < 0 && errno != EINTR))
            return;
        buf_add(&client->in, bytes, count > 0 ? (size_t)count : 0);
        take_lines(client);
        if (client->in.length > LONGEST_ANSWER)
            give_up(client, "the Slurm agent's answer does not end");
    }
}

/* --- asking --- */

static void write_question(void *context)
{
    struct slurm_client *client = context;
    ssize_t count = client->out.length ? send(client->talk, client->out.data, client->out.length, MSG_NOSIGNAL) : 0;
    if (count > 0)
        buf_drop(&client->out, (size_t)count);
    bool later = count < 0 && (errno == EAGAIN || errno == EINTR);
    if (client->out.length && (count > 0 || later) && !client->writable)
        client->writable = loop_write(client->loop, client->talk, write_question, client);
    if (!client->out.length || (count < 0 && !later)) { /* an agent that reads no more has ended, or soon will */
        loop_remove(client->writable);
        client->writable = NULL;
    }
}

/* Whether an idle agent has ended, or soon will. */
static bool has_closed(struct slurm_client *client)
{
    read_answers(client);
    return !client->readable;
}

/* Sends the front question, in a turn of the loop. */
static void send_question(void *context)
{
    struct slurm_client *client = context;
    struct client_question *question = ring_front(&client->questions);
    struct err err;
    client->kick = NULL;
    if (client->agent && has_closed(client))
        stop_agent(client);
    client->deadline = loop_timer(client->loop, question->seconds, too_late, client);
    if (!client->agent && start_agent(client, &err)) {
        answer_front(client, NULL, 0, err.text);
        return;
    }
    buf_text(&client->out, question->line);
    write_question(client);
}

static void schedule_question(struct slurm_client *client)
{
    if (client->questions.count && !client->deadline && !client->kick)
        client->kick = loop_timer(client->loop, 0, send_question, client);
}

struct slurm_client *slurm_client_create(struct loop *loop, const char *program)
{
    struct slurm_client *client = MEM_NEW(struct slurm_client);
    char *directory = path_program_directory();
    client->loop = loop;
    client->program = program ? mem_text(program) : path_join(directory, "gannet");
    ring_init(&client->questions, sizeof(struct client_question));
    free(directory);
    return client;
}

void slurm_client_destroy(struct slurm_client *client)
{
    if (!client)
        return;
    stop_agent(client);
    loop_remove(client->deadline);
    loop_remove(client->kick);
    for (; client->questions.count; ring_pop(&client->questions))
        free(((struct client_question *)ring_front(&client->questions))->line);
    ring_fini(&client->questions);
    buf_fini(&client->out);
    buf_fini(&client->in);
    buf_fini(&client->complaint);
    free(client->program);
    free(client);
}

void slurm_client_ask(struct slurm_client *client, json_t *question, double seconds, slurm_answered *answered,
                      void *context)
{
    char *text = json_dumps(question, JSON_COMPACT);
    struct client_question *last = ring_push(&client->questions);
    *last = (struct client_question){
        .line = mem_format("%s\n", text), .seconds = seconds, .answered = answered, .context = context};
    free(text);
    json_decref(question);
    schedule_question(client);
}
