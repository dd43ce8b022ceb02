/* What a person's own loop writes to `gannet ask --serve`, any bytes of it: every line is answered by a line that is a
 * JSON object, in an experiment that was made once and is made anew from its store for each input. */
#include "cli/session/ask_tell_loop.h"
#include "common/mem.h"
#include "common/path.h"
#include "tests/experiment.h"
#include "tests/scratch.h"
#include "tests/fuzz_seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const seeds[] = {
    "{\"ask\": 3}\n{\"tell\": {\"trial\": 1, \"value\": 0.5}, \"ask\": true, \"best\": true}\n",
    "{\"ask\": 1}\n{\"tell\": {\"trial\": 1, \"failed\": \"diverged\"}}\n{\"tell\": {\"trial\": 1}}\n",
    "{\"ask\": 1}\n{\"report\": {\"trial\": 1, \"step\": 2, \"value\": 3}}\n",
    "{\"report\": {\"trial\": 1, \"step\": 1, \"values\": {\"value\": \"inf\"}}}\n",
    "{\"ask\": 1}\n{\"tell\": {\"trial\": 1, \"pruned\": true}}\n",
    "{\"tell\": {\"trial\": 1, \"values\": {\"value\": \"nan\"}}}\nno JSON\n",
};

static char *scratch;
static struct rundir dir;
static struct buf whole; /* the store as it was made */

static void require(bool good, const char *what, const struct err *err)
{
    if (good)
        return;
    fprintf(stderr, "fuzz_ask_tell: %s: %s\n", what, err->text);
    abort();
}

static void remove_all(void)
{
    rundir_fini(&dir);
    scratch_remove(scratch);
    buf_fini(&whole);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    struct err err = {""};
    scratch = scratch_make();
    void *state = scratch;
    char *text = mem_format("%searly_stop: {name: median, min_steps: 1}\n", experiment_text);
    experiment_make(&state, text, &dir);
    free(text);
    require(path_read(dir.store, &whole, 100 << 20, &err) == 0, "the store can't be read", &err);
    fuzz_seed_texts(seeds, sizeof seeds / sizeof *seeds);
    atexit(remove_all);
    return 0;
}

static void check_answers(FILE *answers, size_t lines)
{
    char *line = NULL;
    size_t size = 0, count = 0;
    struct err err = {""};
    for (rewind(answers); getline(&line, &size, answers) > 0; count++) {
        json_t *answer = json_loads(line, 0, NULL);
        require(json_is_object(answer), "an answer is no JSON object", &err);
        json_decref(answer);
    }
    require(count == lines, "there are not as many answers as lines", &err);
    free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {""};
    size_t lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    path_write(dir.store, whole.data, whole.length, 0600, NULL);
    struct ask_tell *ask_tell = ask_tell_open(&dir, 0, &err);
    require(ask_tell != NULL, "it can't be opened", &err);
    FILE *answers = tmpfile(), *errors = fopen("/dev/null", "w");
    struct console console;
    console_open(&console, "gannet", answers, errors);
    int in = memfd_create("fuzz", MFD_CLOEXEC);
    require(write(in, data, size) == (ssize_t)size && lseek(in, 0, SEEK_SET) == 0, "no memory", &err);
    require(ask_tell_loop_serve(&console, ask_tell, in) == 0, "it can't be served", &err);
    check_answers(answers, lines);
    ask_tell_close(ask_tell);
    console_close(&console);
    fclose(answers);
    fclose(errors);
    close(in);
    return 0;
}
