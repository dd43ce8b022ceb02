/* Our own programs as children of the screen; see errand.h. */
#include "cli/screen/errand.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More of what a command says is not kept: its end is. */
static const size_t most_bytes = 4 << 20;

struct errand {
    struct loop *loop;
    struct proc *proc;
    struct loop_watch *watch; /* NULL: nothing more comes */
    int pipe;
    struct model *model;
    loop_call *changed;
    void *context;
};

static void keep_end(struct buf *text)
{
    if (text->length > most_bytes) {
        const char *line = memchr(text->data + text->length - most_bytes / 2, '\n', most_bytes / 2);
        buf_drop(text, line ? (size_t)(line + 1 - text->data) : text->length - most_bytes / 2);
    }
}

/* Zeros would end the text for whoever draws it. */
static void add_output(struct buf *text, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        buf_add(text, bytes[i] ? &bytes[i] : "?", 1);
    keep_end(text);
}

/* Takes what is there; false: that was all that will ever come. */
static bool take_output(struct errand *errand)
{
    char bytes[65536];
    ssize_t length = read(errand->pipe, bytes, sizeof bytes);
    if (length > 0)
        add_output(&errand->model->output.text, bytes, (size_t)length);
    return length > 0 || (length < 0 && (errno == EAGAIN || errno == EINTR));
}

static void on_output(void *context)
{
    struct errand *errand = context;
    if (!take_output(errand)) {
        loop_remove(errand->watch);
        errand->watch = NULL;
    }
    errand->changed(errand->context);
}

static void on_exit_of_child(void *context, const struct proc_exit *how)
{
    struct errand *errand = context;
    ssize_t before;
    do
        before = (ssize_t)errand->model->output.text.length;
    while (errand->watch && take_output(errand) && (ssize_t)errand->model->output.text.length != before);
    errand->model->output.runs = false;
    errand->model->output.status = how->by_signal ? 128 + how->number : how->number;
    errand->changed(errand->context);
}

/* The words with our programs as paths; free() each and the list. */
static char **resolve(char *const *words)
{
    size_t count = 0;
    while (words[count])
        count++;
    char **out = MEM_ARRAY(char *, count + 1), *here = path_program_directory();
    for (size_t i = 0; i < count; i++) {
        bool ours = (i == 0 && strcmp(words[i], "gannet") == 0) || strcmp(words[i], "gannet-worker") == 0;
        out[i] = ours ? mem_format("%s/%s", here, words[i]) : mem_text(words[i]);
    }
    free(here);
    return out;
}

static int start(struct errand *errand, char *const *words, struct err *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
        return err_errno(err, "can't make a pipe");
    char **resolved = resolve(words);
    fcntl(ends[1], F_SETFL, 0); /* its writer waits for us */
    struct proc_setup setup = {
        .argv = (const char *const *)resolved, .fd0 = -1, .fd1 = ends[1], .fd2 = ends[1], .fd3 = -1};
    errand->pipe = ends[0];
    errand->proc = proc_start(errand->loop, &setup, on_exit_of_child, errand, err);
    close(ends[1]);
    for (size_t i = 0; resolved[i]; i++)
        free(resolved[i]);
    free(resolved);
    if (!errand->proc)
        return -1;
    errand->watch = loop_read(errand->loop, errand->pipe, on_output, errand);
    return 0;
}

static void clear_output(struct output *output, const char *command)
{
    free(output->command);
    buf_fini(&output->text);
    *output = (struct output){.command = mem_text(command), .runs = true};
}

struct errand *errand_start(struct loop *loop, char *const *words, const char *title, struct model *model,
                            loop_call *changed, void *context, struct err *err)
{
    struct errand *errand = MEM_NEW(struct errand);
    *errand = (struct errand){.loop = loop, .pipe = -1, .model = model, .changed = changed, .context = context};
    clear_output(&model->output, title);
    if (start(errand, words, err) == 0)
        return errand;
    model->output.runs = false;
    errand_stop(errand);
    return NULL;
}

void errand_stop(struct errand *errand)
{
    if (!errand)
        return;
    loop_remove(errand->watch);
    proc_destroy(errand->proc);
    if (errand->pipe >= 0)
        close(errand->pipe);
    free(errand);
}
