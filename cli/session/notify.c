/* The message at the end of a search; see notify.h. Mail and command run beside each other, as children that get the
 * message on their standard input and are ended when they take too long. */
#include "cli/session/notify.h"
#include "cli/session/watch_experiment.h"
#include "cli/status.h"
#include "common/buf.h"
#include "common/loop.h"
#include "common/mem.h"
#include "common/node.h"
#include "common/path_search.h"
#include "common/proc.h"
#include "common/texts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Seconds for a program that sends; GANNET_NOTIFY_PATIENCE, for tests. Slurm leaves a job that it ends 30 by default.
 */
static const double usual_patience = 20, end_patience = 2;

/* What is said. */
struct notice {
    const char *ending; /* completed, stopped, interrupted or failed */
    char *subject;
    struct buf body;
};

/* A child that says it. */
struct delivery {
    struct delivery *next;
    struct courier *courier;
    const char *key; /* that asked for it */
    struct texts words, variables;
    int in, out; /* the message; what the child prints */
    struct proc *proc;
    bool over;
};

struct courier {
    struct console *console;
    const struct spec *spec;
    struct loop *loop;
    struct delivery *deliveries;
    uint32_t open; /* children that run */
    bool late;     /* they have been told to end */
};

/* --- the message --- */

static const char *word_of_status(int status)
{
    switch (status) {
    case STATUS_OK:
        return "completed";
    case STATUS_CANCELLED:
        return "stopped";
    case STATUS_INTERRUPTED:
        return "interrupted";
    default:
        return "failed";
    }
}

/* What gannet run shows at the end; the exit status that it means. */
static int write_summary(struct console *console, const struct rundir *dir, struct buf *out)
{
    char *text = NULL;
    size_t size = 0;
    struct console into = {.err = console->err, .programs = console->programs};
    into.out = open_memstream(&text, &size);
    int status = into.out ? report_end(&into, dir, false, false) : STATUS_FAILED;
    if (into.out)
        fclose(into.out);
    if (text)
        buf_add(out, text, size);
    free(text);
    return status;
}

/* The first line of the text as a header can have it: ASCII. */
static char *subject_of(const char *text)
{
    char *subject = mem_format("gannet: %.*s", (int)strcspn(text, "\n"), text);
    for (char *at = subject; *at; at++)
        if (*at < ' ' || *at > '~')
            *at = '?';
    return subject;
}

static void write_message(struct console *console, const struct rundir *dir, const struct spec *spec,
                          const char *failure, struct notice *out)
{
    char node[NODE_SIZE];
    *out = (struct notice){.ending = "failed"};
    if (failure)
        buf_format(&out->body, "%s: the search has not come to its end\n\n%s\n\nWhat is recorded stays.\n", spec->name,
                   failure);
    else
        out->ending = word_of_status(write_summary(console, dir, &out->body));
    out->subject = subject_of(buf_str(&out->body));
    buf_format(&out->body, "\nThe run directory is %s, seen from node %s.\n", dir->path, node_name(node));
}

/* --- programs that send mail --- */

/* The program in PATH, or where programs for mail are and PATH often does not go; free() it. NULL: it is not here. */
static char *find_program(const char *name)
{
    const char *path = getenv("PATH");
    char *all = mem_format("%s:/usr/sbin:/usr/lib:/usr/bin:/bin", path ? path : ""), *found = path_search(name, all);
    free(all);
    return found;
}

static void add_headers(const char *addresses, const struct notice *message, struct buf *out)
{
    buf_format(out,
               "To: %s\nSubject: %s\nAuto-Submitted: auto-generated\nMIME-Version: 1.0\n"
               "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n",
               addresses, message->subject);
}

/* Addresses as words, which the file has with commas between them. */
static void add_addresses(const char *list, struct texts *out)
{
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ","))
            texts_add(out, mem_text_n(at, strcspn(at, ",")));
}

static void copy_words(char *const *words, uint32_t count, struct texts *out)
{
    for (uint32_t i = 0; i < count; i++)
        texts_add(out, mem_text(words[i]));
}

/* Says in `words` how the mail is sent, and whether the program reads headers. False: there is no program for it. */
static bool choose_mailer(const struct spec_notify *notify, const struct notice *message, struct texts *words,
                          bool *headers)
{
    char *program;
    *headers = true;
    if (notify->mail_command_count) {
        copy_words(notify->mail_command, notify->mail_command_count, words);
    } else if ((program = find_program("sendmail"))) {
        texts_add(words, program);
        texts_add_all(words, (const char *const[]){"-t", "-i", NULL});
    } else if ((program = find_program("mail")) || (program = find_program("mailx"))) {
        *headers = false;
        texts_add(words, program);
        texts_add_all(words, (const char *const[]){"-s", message->subject, NULL});
        add_addresses(notify->mail, words);
    }
    return words->count > 0;
}

/* --- children --- */

/* What it said last; "" when that is nothing. */
static void quote_last_line(int fd, struct buf *out)
{
    char text[512];
    off_t size = lseek(fd, 0, SEEK_END);
    off_t from = size > (off_t)sizeof text - 1 ? size - (off_t)sizeof text + 1 : 0;
    ssize_t got = pread(fd, text, sizeof text - 1, from);
    text[got > 0 ? got : 0] = '\0';
    for (size_t length = strlen(text); length && strchr("\n ", text[length - 1]);)
        text[--length] = '\0';
    const char *line = strrchr(text, '\n');
    if (*text)
        buf_format(out, ": %s", line ? line + 1 : text);
}

static void say_failed(const struct delivery *delivery, const struct proc_exit *how)
{
    struct buf said = {0};
    quote_last_line(delivery->out, &said);
    console_tell(delivery->courier->console,
                 "gannet: %s: the message that the search has ended did not go out: '%s' %s %d%s", delivery->key,
                 delivery->words.items[0],
                 delivery->courier->late ? "took too long and was ended by signal"
                 : how->by_signal        ? "was ended by signal"
                                         : "ended with status",
                 how->number, buf_str(&said));
    buf_fini(&said);
}

static void on_exit_of_child(void *context, const struct proc_exit *how)
{
    struct delivery *delivery = context;
    delivery->over = true;
    if (how->by_signal || how->number)
        say_failed(delivery, how);
    if (!--delivery->courier->open)
        loop_stop(delivery->courier->loop);
}

static void on_stuck(void *context)
{
    struct courier *courier = context;
    loop_stop(courier->loop);
}

static void on_late(void *context)
{
    struct courier *courier = context;
    courier->late = true;
    for (struct delivery *at = courier->deliveries; at; at = at->next)
        if (at->proc && !at->over)
            proc_end(at->proc, end_patience / 2);
    loop_timer(courier->loop, end_patience, on_stuck, courier);
}

static struct delivery *add_delivery(struct courier *courier, const char *key)
{
    struct delivery *delivery = MEM_NEW(struct delivery);
    *delivery = (struct delivery){.next = courier->deliveries, .courier = courier, .key = key, .in = -1, .out = -1};
    courier->deliveries = delivery;
    return delivery;
}

/* A file in memory: a child that does not read can't hold us up. */
static int open_memory(const struct buf *text)
{
    int fd = memfd_create("message", MFD_CLOEXEC);
    if (fd >= 0 && text &&
        (write(fd, buf_str(text), text->length) != (ssize_t)text->length || lseek(fd, 0, SEEK_SET))) {
        close(fd);
        return -1;
    }
    return fd;
}

static void start_delivery(struct delivery *delivery, const struct buf *text)
{
    struct courier *courier = delivery->courier;
    struct err err;
    delivery->in = open_memory(text);
    delivery->out = open_memory(NULL);
    struct proc_setup setup = {.argv = (const char *const *)delivery->words.items,
                               .env = (const char *const *)delivery->variables.items,
                               .directory = courier->spec->base,
                               .fd0 = delivery->in,
                               .fd1 = delivery->out,
                               .fd2 = delivery->out,
                               .fd3 = -1};
    delivery->proc = proc_start(courier->loop, &setup, on_exit_of_child, delivery, &err);
    if (delivery->proc)
        courier->open++;
    else
        console_tell(courier->console, "gannet: %s: the message that the search has ended did not go out: %s",
                     delivery->key, err.text);
}

static void free_delivery(struct delivery *delivery)
{
    if (delivery->proc && !delivery->over)
        proc_abandon(delivery->proc);
    else
        proc_destroy(delivery->proc);
    texts_fini(&delivery->words);
    texts_fini(&delivery->variables);
    if (delivery->in >= 0)
        close(delivery->in);
    if (delivery->out >= 0)
        close(delivery->out);
    free(delivery);
}

/* --- who is told --- */

static void start_mail(struct courier *courier, const struct notice *message)
{
    const struct spec_notify *notify = &courier->spec->notify;
    struct delivery *delivery = add_delivery(courier, "notify.mail");
    char node[NODE_SIZE];
    struct buf text = {0};
    bool headers;
    if (!choose_mailer(notify, message, &delivery->words, &headers)) {
        console_tell(courier->console,
                     "gannet: notify.mail: no mail was sent to %s: node %s has neither sendmail nor mail. "
                     "notify.mail_command names another program, such as [ssh, login1, /usr/sbin/sendmail, -t, -i]",
                     notify->mail, node_name(node));
        return;
    }
    if (headers)
        add_headers(notify->mail, message, &text);
    buf_add(&text, buf_str(&message->body), message->body.length);
    start_delivery(delivery, &text);
    buf_fini(&text);
}

static void start_command(struct courier *courier, const struct rundir *dir, const struct notice *message,
                          const char *reason)
{
    const struct spec_notify *notify = &courier->spec->notify;
    struct delivery *delivery = add_delivery(courier, "notify.command");
    copy_words(notify->command, notify->command_count, &delivery->words);
    texts_add(&delivery->variables, mem_format("GANNET_NAME=%s", courier->spec->name));
    texts_add(&delivery->variables, mem_format("GANNET_ENDING=%s", message->ending));
    texts_add(&delivery->variables, mem_format("GANNET_REASON=%s", reason));
    texts_add(&delivery->variables, mem_format("GANNET_SUBJECT=%s", message->subject));
    texts_add(&delivery->variables, mem_format("GANNET_RUNDIR=%s", dir->path));
    start_delivery(delivery, &message->body);
}

/* Waits until all have ended, or too long. */
static void await_deliveries(struct courier *courier)
{
    const char *given = getenv("GANNET_NOTIFY_PATIENCE");
    double patience = given ? strtod(given, NULL) : usual_patience;
    struct err err;
    if (!courier->open)
        return;
    loop_timer(courier->loop, patience > 0 ? patience : usual_patience, on_late, courier);
    if (loop_run(courier->loop, &err))
        console_tell(courier->console, "gannet: %s", err.text);
}

static void send_message(struct console *console, const struct rundir *dir, const struct spec *spec,
                         const char *failure, const char *reason)
{
    struct notice message;
    struct courier courier = {.console = console, .spec = spec, .loop = loop_create()};
    write_message(console, dir, spec, failure, &message);
    if (spec->notify.mail)
        start_mail(&courier, &message);
    if (spec->notify.command_count)
        start_command(&courier, dir, &message, reason);
    await_deliveries(&courier);
    for (struct delivery *at = courier.deliveries, *next; at; at = next) {
        next = at->next;
        free_delivery(at);
    }
    loop_destroy(courier.loop);
    free(message.subject);
    buf_fini(&message.body);
}

void notify_end(struct console *console, const struct rundir *dir, const char *failure)
{
    enum experiment_state state;
    enum reason reason = REASON_NONE;
    struct spec *spec = rundir_spec(dir, NULL);
    bool known = rundir_reason(dir, &state, &reason);
    bool goes_on = reason == REASON_WALLTIME || reason == REASON_PREEMPTED || reason == REASON_PAUSED;
    if (spec && (spec->notify.mail || spec->notify.command_count) && (failure || (known && !goes_on)))
        send_message(console, dir, spec, failure, failure ? "failed" : reason_name(reason));
    spec_destroy(spec);
}
