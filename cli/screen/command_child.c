/* Our own programs as children of the screen; see command_child.h. */
#include "cli/screen/command_child.h"
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

struct command_child {
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
static bool take_output(struct command_child *child)
{
    char bytes[65536];
    ssize_t length = read(child->pipe, bytes, sizeof bytes);
    if (length > 0)
        add_output(&child->model->output.text, bytes, (size_t)length);
    return length > 0 || (length < 0 && (errno == EAGAIN || errno == EINTR));
}

static void on_output(void *context)
{
    struct command_child *child = context;
    if (!take_output(child)) {
        loop_remove(child->watch);
        child->watch = NULL;
    }
    child->changed(child->context);
}

static void on_exit_of_child(void *context, const struct proc_exit *how)
{
    struct command_child *child = context;
    ssize_t before;
    do
        before = (ssize_t)child->model->output.text.length;
    while (child->watch && take_output(child) && (ssize_t)child->model->output.text.length != before);
    child->model->output.runs = false;
    child->model->output.status = how->by_signal ? 128 + how->number : how->number;
    child->changed(child->context);
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

static int start(struct command_child *child, char *const *words, struct err *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
        return err_errno(err, "can't make a pipe");
    char **resolved = resolve(words);
    fcntl(ends[1], F_SETFL, 0); /* its writer waits for us */
    struct proc_setup setup = {
        .argv = (const char *const *)resolved, .fd0 = -1, .fd1 = ends[1], .fd2 = ends[1], .fd3 = -1};
    child->pipe = ends[0];
    child->proc = proc_start(child->loop, &setup, on_exit_of_child, child, err);
    close(ends[1]);
    for (size_t i = 0; resolved[i]; i++)
        free(resolved[i]);
    free(resolved);
    if (!child->proc)
        return -1;
    child->watch = loop_read(child->loop, child->pipe, on_output, child);
    return 0;
}

static void clear_output(struct command_output *output, const char *command)
{
    free(output->command);
    buf_fini(&output->text);
    *output = (struct command_output){.command = mem_text(command), .runs = true};
}

struct command_child *command_child_start(struct loop *loop, char *const *words, const char *title, struct model *model,
                                          loop_call *changed, void *context, struct err *err)
{
    struct command_child *child = MEM_NEW(struct command_child);
    *child = (struct command_child){.loop = loop, .pipe = -1, .model = model, .changed = changed, .context = context};
    clear_output(&model->output, title);
    if (start(child, words, err) == 0)
        return child;
    model->output.runs = false;
    command_child_stop(child);
    return NULL;
}

void command_child_stop(struct command_child *child)
{
    if (!child)
        return;
    loop_remove(child->watch);
    proc_destroy(child->proc);
    if (child->pipe >= 0)
        close(child->pipe);
    free(child);
}
