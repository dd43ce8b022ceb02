/* Asking our other programs; see sibling.h. */
#include "cli/data/sibling.h"
#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MOST_ARGUMENTS = 16 };

/* Starts the program with its standard output in the pipe and its messages in a file. */
static int start_program_data(const char *path, const char *const *arguments, int out, int messages, pid_t *pid,
                              struct err *err)
{
    const char *argv[MOST_ARGUMENTS + 2] = {path};
    for (size_t i = 0; arguments[i] && i < MOST_ARGUMENTS; i++)
        argv[i + 1] = arguments[i];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO);
    errno = posix_spawn(pid, path, &actions, NULL, (char **)(void *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return errno ? err_errno(err, "can't start %s", path) : 0;
}

static void read_all(int fd, struct buf *out)
{
    char bytes[4096];
    ssize_t count;
    while ((count = read(fd, bytes, sizeof bytes)) > 0 || (count < 0 && errno == EINTR))
        if (count > 0)
            buf_add(out, bytes, (size_t)count);
}

/* The last line that it said, without its name in front. */
static void quote_message(const char *program, int messages, struct err *err)
{
    struct buf text = {0};
    lseek(messages, 0, SEEK_SET);
    read_all(messages, &text);
    while (text.length && text.data[text.length - 1] == '\n')
        text.data[--text.length] = '\0';
    const char *newline = text.length ? strrchr(text.data, '\n') : NULL;
    const char *said = newline ? newline + 1 : buf_str(&text);
    size_t name = strlen(program);
    if (strncmp(said, program, name) == 0 && strncmp(said + name, ": ", 2) == 0)
        said += name + 2;
    err_write(err, "%s", said);
    buf_fini(&text);
}

/* Runs it to its end. 0; its exit status; or -1 with a sentence. */
static int run_program(const char *path, const char *const *arguments, int messages, struct buf *out, struct err *err)
{
    int ends[2], status;
    pid_t pid;
    if (messages < 0 || pipe2(ends, O_CLOEXEC))
        return err_errno(err, "can't make a pipe");
    int started = start_program_data(path, arguments, ends[1], messages, &pid, err);
    close(ends[1]);
    if (!started)
        read_all(ends[0], out);
    close(ends[0]);
    if (started)
        return -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : err_set(err, "%s was killed", path);
}

json_t *sibling_ask(const char *program, const char *const *arguments, struct err *err)
{
    char *directory = path_program_directory(), *path = path_join(directory, program);
    struct buf text = {0};
    json_error_t problem;
    json_t *answer = NULL;
    int messages = memfd_create("messages", MFD_CLOEXEC);
    int status = run_program(path, arguments, messages, &text, err);
    if (status == 0)
        answer = json_loadb(buf_str(&text), text.length, 0, &problem);
    if (status > 0)
        quote_message(program, messages, err);
    else if (status == 0 && !answer)
        err_write(err, "%s %s did not answer with JSON: %s", path, arguments[0], problem.text);
    if (messages >= 0)
        close(messages);
    buf_fini(&text);
    free(path);
    free(directory);
    return answer;
}

json_t *sibling_slots(const struct spec_resources *wanted, const struct slots_machine *machine, struct err *err)
{
    char *cpus = mem_format("--cpus=%" PRIu32, wanted->cpus),
         *sockets = mem_format("--sockets=%" PRIu32, wanted->sockets);
    char *gpus = mem_format("--gpus=%" PRIu32, wanted->gpus), *bind = mem_format("--bind=%s", bind_name(wanted->bind));
    char *topology = mem_format("--topology=%s", machine->topology ? machine->topology : "");
    char *share = mem_format("--share=1/%" PRIu64, machine->workers ? machine->workers : 1);
    char *memory = mem_format("--memory=%" PRIu64 "K", wanted->memory / 1024);
    const char *arguments[] = {"--show-slots", "--json", cpus, sockets, gpus, bind, share, NULL, NULL, NULL};
    size_t count = 7;
    if (wanted->memory)
        arguments[count++] = memory;
    if (machine->topology)
        arguments[count++] = topology;
    json_t *answer = sibling_ask("gannet-worker", arguments, err);
    json_t *slots = json_incref(json_object_get(answer, "slots"));
    if (answer && !slots)
        err_write(err,
                  "gannet-worker --show-slots did not list slots; are gannet and gannet-worker of the same version?");
    json_decref(answer);
    free(cpus);
    free(sockets);
    free(gpus);
    free(bind);
    free(topology);
    free(share);
    free(memory);
    return slots;
}
