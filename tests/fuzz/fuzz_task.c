/* Tasks of any bytes, and the commands in them: what is read can be made a trial's command of, with placeholders that
 * are there or not, and with values of every kind; what is refused is refused in words. */
#include "common/mem.h"
#include "common/task.h"
#include "common/trial_command.h"
#include "tests/fuzz_seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HEAD                                                                                                           \
    "{\"experiment\": \"e\", \"directory\": \"/r\", \"base\": \"/b\", \"workdir\": \"/w\", \"metric\": \"loss\", "     \
    "\"metrics\": [\"loss\"], \"trial_time\": 60, \"grace\": 2.5, \"resources\": {\"cpus\": 2}, "

static const char *const seeds[] = {
    HEAD "\"kernel\": \"mlp\", \"options\": {\"epochs\": 3}}",
    HEAD "\"command\": [\"/bin/sh\", \"-c\", \"./t ${args} --lr=${lr} $HOME ${seed}\"], \"env\": {\"A\": \"${name}\"}}",
    HEAD "\"command\": [\"t\", \"${args}\", \"${params_file}\", \"$${lr}\", \"${trial} ${cpus} ${gpus} ${dir}\"]}",
};

static void require(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "fuzz_task: %s\n", what);
    abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fuzz_seed_texts(seeds, sizeof seeds / sizeof *seeds);
    return 0;
}

static void make_command(const struct task *task)
{
    struct trial_command command = {0};
    struct err err = {""};
    json_t *params = json_loads("{\"lr\": 1e-3, \"name\": \"it's; rm -rf /\", \"on\": true, \"n\": -3}", 0, NULL);
    struct trial_command_facts facts = {.number = 7,
                                        .seed = UINT64_MAX,
                                        .params = params,
                                        .directory = "/r/trials/000007",
                                        .params_file = "/r/trials/000007/params.json",
                                        .cpus = 2};
    int failed = trial_command_make(task, &facts, &command, &err);
    require(!failed || *err.text, "a command is refused without a sentence");
    if (!failed)
        trial_command_fini(&command);
    json_decref(params);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct task task;
    struct err err = {""};
    char *text = mem_text_n((const char *)data, size);
    int failed = task_read(text, &task, &err);
    require(!failed || (*err.text && !task.json), "a task is refused without a sentence");
    if (!failed)
        make_command(&task);
    task_fini(&task);
    free(text);
    return 0;
}
