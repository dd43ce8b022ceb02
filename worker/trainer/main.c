/* gannet-trainer: runs the built-in kernels. The worker starts one for each busy slot and speaks with it over file
 * descriptor 3 (serve.c); people use it to list kernels and to run one trial again. */
#include "common/json.h"
#include "common/log.h"
#include "common/openmp.h"
#include "worker/data/copy.h"
#include "worker/data/generate.h"
#include "worker/trainer/by_hand.h"
#include "worker/trainer/calibrate.h"
#include "worker/trainer/catalogue.h"
#include "worker/trainer/check.h"
#include "worker/trainer/serve.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SOCKET = 3, EXIT_USAGE = 2, EXIT_PROTOCOL = 70 /* EX_SOFTWARE */ };

enum trainer_mode { SERVE, SEATS, KERNELS, FUNCTIONS, GENERATORS, BACKENDS, RUN, CHECK, CALIBRATE, CALIBRATE_DISK };

/* What the command line says. */
struct trainer_options {
    enum trainer_mode what;
    bool json;
    const char *threads;
    uint64_t thread_count;
    const char *directory;
    struct by_hand by_hand;
};

/* One option. Its argument (NULL: none) is a text or a number, kept where the offsets in struct trainer_options say
 * unless they are 0. */
struct trainer_option {
    int short_name; /* what getopt returns */
    const char *name, *argument, *help;
    enum trainer_mode what; /* that it asks for; SERVE: it asks for nothing */
    size_t text, number;
};

#define AT(member) offsetof(struct trainer_options, member)

static const struct trainer_option rows[] = {
    {'k', "kernels", NULL, "list the kernels with their options, parameters and metrics", KERNELS, 0, 0},
    {'f', "functions", NULL, "list the functions of the kernel synth with domain and minimum", FUNCTIONS, 0, 0},
    {'g', "generators", NULL, "list what an option data can have made, as in data: generate:shapes", GENERATORS, 0, 0},
    {'y', "backends", NULL, "list what computes, the fastest first, and whether it can be had here; prints JSON",
     BACKENDS, 0, 0},
    {'j', "json", NULL, "with --kernels: as JSON; with --run: the log as JSON, an object a line", SERVE, 0, 0},
    {'r', "run", "KERNEL", "run one trial by hand and print its steps and where the time went", RUN, AT(by_hand.kernel),
     0},
    {'d', "check", "KERNEL", "read the data as a trial with these options would, and say what it is, as JSON", CHECK,
     AT(by_hand.kernel), 0},
    {'x', "searched", "NAMES",
     "with --check: parameters that differ; says whether a trial can start if they don't matter", SERVE,
     AT(by_hand.searched), 0},
    {'o', "options", "JSON", "its options (trial.options of the experiment)", SERVE, AT(by_hand.options), 0},
    {'p', "params", "JSON", "its parameters", SERVE, AT(by_hand.params), 0},
    {'s', "seed", "N", "seeds its random numbers; default 0", SERVE, 0, AT(by_hand.seed)},
    {'m', "metric", "NAME", "the objective; default: the first metric of the kernel", SERVE, AT(by_hand.metric), 0},
    {'b', "base", "DIR", "where relative paths in the options start; default: the current directory", SERVE,
     AT(by_hand.base), 0},
    {'n', "trial", "N", "the trial's number; default 1", SERVE, 0, AT(by_hand.trial)},
    {'t', "threads", "N", "processor threads, of each rank; default OMP_NUM_THREADS, else 1", SERVE, AT(threads),
     AT(thread_count)},
    {'a', "ranks", "N", "processes that train it together, each on its part of every batch; default 1", SERVE, 0,
     AT(by_hand.ranks)},
    {'w', "profile", "NAMES", "time these operations, as in 'conv*,gemm', or all: '*'", SERVE, AT(by_hand.profile), 0},
    {'c', "calibrate", NULL, "measure what so many threads can do at most here, and keep it; prints JSON", CALIBRATE, 0,
     0},
    {'i', "calibrate-disk", "DIR", "measure what the disk of that directory can do at most, and keep it; prints JSON",
     CALIBRATE_DISK, AT(directory), 0},
    {'e', "seats", NULL, "for gannet-worker: several conversations, which come over descriptor 3", SEATS, 0, 0},
    {'h', "help", NULL, "this text", SERVE, 0, 0},
    {'v', "version", NULL, "the version", SERVE, 0, 0},
};
enum { ROWS = sizeof rows / sizeof *rows };

static void print_help(void)
{
    puts("Usage: gannet-trainer --run KERNEL [--options JSON] [--params JSON] [--seed N] [--json] ...\n"
         "       gannet-trainer --check KERNEL [--options JSON] [--base DIR] [--metric NAME] [--searched NAMES]\n"
         "       gannet-trainer --kernels [--json] | --functions | --generators | --backends |\n"
         "                      --calibrate [--threads N] | --calibrate-disk DIR\n\n"
         "Runs the built-in training kernels. gannet-worker starts it for the trials of an experiment; without\n"
         "options it speaks with its worker over file descriptor 3.\n");
    for (int i = 0; i < ROWS; i++)
        printf("  --%s %-*s %s\n", rows[i].name, (int)(16 - strlen(rows[i].name)),
               rows[i].argument ? rows[i].argument : "", rows[i].help);
    puts("\n--run prints a line for each step: its seconds, the share of them in which it waited for data, the "
         "examples\n"
         "that it trained on in a second, and its metrics; then how the trial ended, and the seconds of each phase.\n"
         "\nExample:\n"
         "  gannet-trainer --run mlp --options '{\"data\": \"examples/data/digits.csv\"}' --params '{\"lr\": 0.1}'\n\n"
         "Exit status: 0 the trial completed, 1 it ended otherwise, 2 it could not be run.");
}

static int explain_usage(const char *sentence, const char *about)
{
    fprintf(stderr, "gannet-trainer: %s%s; --help says more\n", sentence, about);
    return EXIT_USAGE;
}

/* A whole number from 0; a trial's seed has all 64 bits. */
static bool read_count(const char *text, uint64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return isdigit((unsigned char)*text) && !*end && errno == 0;
}

/* Takes one option; false when its argument is no number and must be one. */
static bool take_option(struct trainer_options *command, int short_name, const char *argument)
{
    const struct trainer_option *row = rows;
    while (row->short_name != short_name)
        row++;
    char *base = (char *)command;
    command->json |= short_name == 'j';
    if (row->what != SERVE)
        command->what = row->what;
    if (row->text)
        memcpy(base + row->text, &argument, sizeof argument);
    uint64_t number = 1;
    if (row->number && !read_count(argument, &number))
        return false;
    if (row->number)
        memcpy(base + row->number, &number, sizeof number);
    return number > 0 || !strchr("at", short_name);
}

/* Reads the command line; -1: go on, else the exit status. */
static int read_command(struct trainer_options *command, int argc, char **argv)
{
    struct option options[ROWS + 1] = {0};
    for (int i = 0; i < ROWS; i++)
        options[i] =
            (struct option){rows[i].name, rows[i].argument ? required_argument : no_argument, NULL, rows[i].short_name};
    int short_name;
    while ((short_name = getopt_long(argc, argv, "hv", options, NULL)) != -1) {
        if (short_name == 'h') {
            print_help();
            return EXIT_SUCCESS;
        }
        if (short_name == 'v') {
            puts("gannet-trainer " GANNET_VERSION);
            return EXIT_SUCCESS;
        }
        if (short_name == '?') /* getopt has said what is wrong */
            return EXIT_USAGE;
        if (!take_option(command, short_name, optarg))
            return explain_usage("not a number: ", optarg);
    }
    return optind < argc ? explain_usage("unexpected argument: ", argv[optind]) : -1;
}

/* oneDNN's threads are OpenMP's, whose number is read before main: the program starts anew with the number wanted. */
static void use_threads(const char *wanted, char **argv)
{
    const char *now = getenv("OMP_NUM_THREADS");
    struct texts env = {0};
    bool differs = false;
    openmp_env(wanted ? wanted : now ? now : "1", NULL, &env);
    for (size_t i = 0; i < env.count; i++) {
        char *value = strchr(env.items[i], '=');
        *value++ = '\0';
        now = getenv(env.items[i]);
        differs |= !now || strcmp(now, value) != 0;
        setenv(env.items[i], value, 1);
    }
    texts_fini(&env);
    if (differs)
        execv("/proc/self/exe", argv);
}

static int run_by_hand(struct trainer_options *command, char **argv)
{
    struct err err;
    copy_end_by_signals();
    use_threads(command->threads, argv);
    long threads = strtol(getenv("OMP_NUM_THREADS"), NULL, 10);
    command->by_hand.threads = threads > 1 && threads < INT_MAX ? (int)threads : 1;
    command->by_hand.json = command->json;
    int result = by_hand_run(&command->by_hand, &err);
    if (result < 0)
        fprintf(stderr, "gannet-trainer: %s\n", err.text);
    return result < 0 ? EXIT_USAGE : result;
}

static int serve_worker(int (*serve)(int fd, struct err *err))
{
    /* Slurm sends SIGTERM to every process of a job that it ends. The worker takes the end in hand: a run that is told
     * by it to end keeps its checkpoint. */
    if (getenv("SLURM_JOB_ID"))
        signal(SIGTERM, SIG_IGN);
    struct err err;
    if (fcntl(SOCKET, F_GETFD) < 0)
        return explain_usage(
            "is started by gannet-worker",
            ", or with one of --run, --check, --kernels, --functions, --generators, --backends, --calibrate");
    if (serve(SOCKET, &err) == 0)
        return EXIT_SUCCESS;
    fprintf(stderr, "gannet-trainer: %s\n", err.text);
    return EXIT_PROTOCOL;
}

static int print_catalogue(void (*add)(struct buf *out))
{
    struct buf out = {0};
    add(&out);
    fputs(buf_str(&out), stdout);
    buf_fini(&out);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    json_require_memory();
    log_open("trainer", LOG_INFO);
    signal(SIGXFSZ, SIG_IGN); /* a checkpoint beyond `ulimit -f` costs the checkpoint, not the run */
    struct trainer_options command = {.by_hand = {.base = ".", .trial = 1, .ranks = 1}};
    int status = read_command(&command, argc, argv);
    if (status >= 0)
        return status;
    switch (command.what) {
    case KERNELS:
        return print_catalogue(command.json ? catalogue_json : catalogue_text);
    case FUNCTIONS:
        return print_catalogue(catalogue_functions);
    case GENERATORS:
        return print_catalogue(generate_list);
    case BACKENDS:
        return print_catalogue(catalogue_backends);
    case RUN:
        return run_by_hand(&command, argv);
    case CHECK:
        copy_end_by_signals();
        command.by_hand.threads =
            command.threads && command.thread_count < UINT16_MAX ? (int)command.thread_count : UINT16_MAX;
        return check_and_print(&command.by_hand);
    case CALIBRATE:
        return calibrate_and_print(command.threads ? command.thread_count : 1);
    case CALIBRATE_DISK:
        return calibrate_disk_and_print(command.directory);
    case SEATS:
        return serve_worker(serve_seats);
    case SERVE:
        break;
    }
    return serve_worker(serve_runs);
}
