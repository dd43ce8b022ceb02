/* gannet: what a person types and sees, from a command line to one of the commands (command.h). */
#include "cli/command.h"
#include "cli/data/target.h"
#include "common/json.h"

#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The name that setlocale looks at: POSIX, "Internationalization Variables". */
static const char *wanted_name(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *name = getenv(variables[i]);
        if (name && *name)
            return name;
    }
    return "C";
}

/* "de_DE.UTF-8", "en_US.utf8@variant" */
static bool is_utf8(const char *name)
{
    const char *codeset = strchr(name, '.');
    return codeset && (strncasecmp(codeset, ".UTF-8", 6) == 0 || strncasecmp(codeset, ".UTF8", 5) == 0);
}

/* Chooses the locale of characters (LC_CTYPE) that the environment names. One that this machine lacks, as ssh brings
 * it along from another, is replaced by C.UTF-8 when it is of UTF-8: the terminal shows that, whatever is installed
 * here. */
static void locale_choose(void)
{
    if (!setlocale(LC_CTYPE, "") && is_utf8(wanted_name()))
        setlocale(LC_CTYPE, "C.UTF-8");
}

static int show_list(FILE *stream, const struct look *look, int status)
{
    struct buf text = {0};
    help_list(look, &text);
    console_write(stream, &text);
    buf_fini(&text);
    return status;
}

static int run_command(struct console *console, const struct command *command, int argc, char **argv)
{
    char name[64];
    snprintf(name, sizeof name, "gannet %s", command->name);
    struct syntax syntax = {.command = name, .arguments = command->arguments, .options = command->options};
    struct args args;
    struct err err;
    int status = STATUS_USAGE;
    if (args_read(&syntax, argc, argv, &args, &err)) {
        console_fail(console, status, &err);
    } else {
        console_set(console, args_text(&args, "color", NULL), args_has(&args, "plain"));
        if (args_has(&args, "help")) {
            struct buf text = {0};
            help_command(command, &console->out_look, &text);
            console_print(console, &text);
            status = STATUS_OK;
        } else {
            status = command->run ? command->run(console, &args) : target_visit(console, &args, command->visit);
        }
    }
    args_fini(&args);
    return status;
}

/* Runs the command line argv[0 .. argc-1] ("gannet", "run", ...): the exit status. */
static int run_line(struct console *console, int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name)
        return show_list(console->err, &console->err_look, STATUS_USAGE);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return show_list(console->out, &console->out_look, STATUS_OK);
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        name = "version";
    const struct command *command = command_find(name);
    if (!command)
        return command_unknown(console, name);
    return run_command(console, command, argc - 2, argv + 2);
}

int main(int argc, char **argv)
{
    /* Characters as the person's terminal has them; numbers stay those of C: files and programs read them. */
    locale_choose();
    json_require_memory();
    signal(SIGXFSZ, SIG_IGN); /* a file that grows beyond `ulimit -f` is an error with a sentence, not our death */
    signal(SIGCHLD, SIG_DFL); /* whoever started us may have ignored it: then nobody hears how our children ended */
    struct console console;
    console_open(&console, argv[0], stdout, stderr);
    int status = run_line(&console, argc, argv);
    int written = console_close(&console);
    return status ? status : written;
}
