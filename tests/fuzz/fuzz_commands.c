/* The commands that look at an experiment, on stores with values that no row should have (tests/damaged_store.h): what
 * can't be shown is refused in words. The first byte says which commands, the others what the damage is. */
#include "cli/command.h"
#include "cli/console.h"
#include "cli/data/target.h"
#include "common/json.h"
#include "common/path.h"
#include "tests/damaged_store.h"
#include "tests/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const lines[][6] = {
    {"profile", "a.db"},
    {"profile", "a.db/1"},
    {"profile", "a.db/2", "--json"},
    {"profile", "a.db", "--operations"},
    {"profile", "a.db", "--compare", "1", "2"},
    {"profile", "a.db", "--trace", "trace.json"},
    {"profile", "a.db/3", "--trace", "trace.json"},
    {"status", "a.db"},
    {"status", "a.db", "--json"},
    {"explain", "a.db"},
    {"explain", "a.db/1"},
    {"explain", "a.db/2", "--json"},
    {"explain", "a.db", "n"},
    {"show", "a.db/1"},
    {"show", "a.db/best", "--json"},
    {"trials", "a.db"},
    {"trials", "a.db", "--csv"},
    {"best", "a.db"},
};
enum { LINES = sizeof lines / sizeof *lines, WORDS = sizeof *lines / sizeof **lines, AT_ONCE = 3 };

static char *scratch;
static struct damaged_store damaged;

static void require(bool good, const char *what, const char *command)
{
    if (good)
        return;
    fprintf(stderr, "fuzz_commands: gannet %s: %s\n", command, what);
    abort();
}

static void remove_all(void)
{
    damaged_store_fini(&damaged);
    scratch_remove(scratch);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    json_require_memory();
    scratch = scratch_make();
    require(chdir(scratch) == 0, "there is no directory", "");
    char *path = path_join(scratch, "a.db");
    damaged_store_init(&damaged, path);
    free(path);
    atexit(remove_all);
    return 0;
}

static int run_line(struct console *console, const char *const words[WORDS])
{
    const struct command *command = command_find(words[0]);
    const struct syntax syntax = {words[0], command->arguments, command->options};
    char *argv[WORDS];
    int argc = 0;
    struct args args;
    struct err err = {""};
    for (; argc + 1 < WORDS && words[argc + 1]; argc++)
        argv[argc] = (char *)(uintptr_t)words[argc + 1];
    require(args_read(&syntax, argc, argv, &args, &err) == 0, err.text, words[0]);
    int status = command->run ? command->run(console, &args) : target_visit(console, &args, command->visit);
    args_fini(&args);
    return status;
}

static void try_line(const char *const words[WORDS])
{
    char *said = NULL, *shown = NULL;
    size_t said_length = 0, shown_length = 0;
    struct console console;
    console_open(&console, "gannet", open_memstream(&shown, &shown_length), open_memstream(&said, &said_length));
    FILE *out = console.out, *err = console.err;
    int status = run_line(&console, words);
    console_close(&console);
    fclose(out);
    fclose(err);
    require(status >= 0 && status < 100, "a status that there is not", words[0]);
    require(!status || said_length || shown_length, "it fails without a sentence", words[0]);
    free(said);
    free(shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    damaged_store_write(&damaged, data + 1, size - 1);
    for (size_t i = 0; i < AT_ONCE; i++)
        try_line(lines[(data[0] + 7 * i) % LINES]);
    return 0;
}
