/* gannet bench: whole searches on tables and test functions, to choose a strategy. */
#include "cli/command.h"
#include "cli/session/prepare.h"
#include "cli/view/bench_results.h"
#include "cli/format.h"
#include "cli/console.h"
#include "common/clock.h"
#include "common/mem.h"
#include "common/units.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* What the command line asks for. */
struct bench_command {
    struct bench_objective **objectives;
    size_t objective_count;
    struct contenders contenders;
    struct bench_rows rows; /* of the searches, and of files that they are compared with */
    struct series_setup setup;
};

static void bench_fini(struct bench_command *bench)
{
    for (size_t i = 0; i < bench->objective_count; i++)
        objective_close(bench->objectives[i]);
    free(bench->objectives);
    contenders_fini(&bench->contenders);
    rows_fini(&bench->rows);
}

/* --- reading the command line --- */

/* Opens one file; the exit status. */
static int open_file(struct console *console, struct bench_command *bench, const char *file,
                     const char *const *overrides, size_t override_count)
{
    struct problems problems = {0};
    struct err err;
    struct spec *spec = spec_read(file, overrides, override_count, &problems);
    prepare_show_problems(console, &problems, "nothing was started");
    problems_fini(&problems);
    if (!spec)
        return STATUS_USAGE;
    struct bench_objective *objective = objective_open(spec, &err);
    if (!objective)
        return console_fail(console, STATUS_USAGE, &err);
    bench->objectives[bench->objective_count++] = objective;
    const char *name = objective_name(objective);
    for (size_t i = 0; i + 1 < bench->objective_count; i++)
        if (strcmp(objective_name(bench->objectives[i]), name) == 0)
            return console_refuse(console, STATUS_USAGE,
                                  "%s: another file has the name '%s' too; results could not be told apart", file,
                                  name);
    return STATUS_OK;
}

static int open_files(struct console *console, const struct args *args, struct bench_command *bench)
{
    size_t count;
    int status = STATUS_OK;
    const char *const *overrides = args_list(args, "set", &count);
    bench->objectives = MEM_ARRAY(struct bench_objective *, args->rest_count);
    for (size_t i = 0; i < args->rest_count && !status; i++)
        status = open_file(console, bench, args_rest(args, i), overrides, count);
    return status;
}

/* Those of --strategy; without it the strategy of the first file, and random. */
static int read_contenders(const struct args *args, struct bench_command *bench, struct err *err)
{
    size_t count;
    int result = 0;
    const char *const *lists = args_list(args, "strategy", &count);
    for (size_t i = 0; i < count && !result; i++)
        result = contenders_read(&bench->contenders, lists[i], err);
    if (count)
        return result;
    const struct spec_strategy *own = &objective_spec(bench->objectives[0])->strategy;
    contenders_add(&bench->contenders, own->name, own->plugin, own->options);
    return own->plugin || strcmp(own->name, "random") != 0 ? contenders_read(&bench->contenders, "random", err) : 0;
}

static int read_stoppers(const struct args *args, struct bench_command *bench, struct err *err)
{
    const char *list = args_text(args, "early-stop", NULL);
    if (list && !*list)
        return err_set(err, "--early-stop needs a list of stoppers, such as none,asha");
    return list ? contenders_stop(&bench->contenders, list, err) : 0;
}

static int read_durations(const struct args *args, struct durations *durations, struct err *err)
{
    durations_find(args_text(args, "durations", "constant"), &durations->kind);
    if (units_duration(args_text(args, "trial-time", "60s"), &durations->mean, err))
        return err_prefix(err, "--trial-time");
    return durations->mean > 0 ? 0 : err_set(err, "--trial-time must be above 0");
}

/* Processors that this process may use. */
static unsigned usable_cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

static int read_files(const struct args *args, struct bench_rows *rows, struct err *err)
{
    size_t count;
    int result = 0;
    const char *const *files = args_list(args, "with", &count);
    for (size_t i = 0; i < count && !result; i++)
        result = rows_read(rows, files[i], err);
    return result;
}

static int read_setup(const struct args *args, struct bench_command *bench, struct err *err)
{
    uint64_t workers = args_count(args, "workers", 1), jobs = args_count(args, "jobs", usable_cores());
    enum { MOST_WORKERS = 1 << 20, MOST_JOBS = 1 << 12 };
    if (workers > MOST_WORKERS || jobs > MOST_JOBS)
        return err_set(err, "--workers is at most %d and --jobs at most %d", MOST_WORKERS, MOST_JOBS);
    bool real = strcmp(args_text(args, "ask-time", "free"), "real") == 0;
    if (real && args_has(args, "early-stop"))
        return err_set(err, "--ask-time real counts whole trials; leave out --early-stop");
    bench->setup = (struct series_setup){.objectives = bench->objectives,
                                         .objective_count = bench->objective_count,
                                         .contenders = &bench->contenders,
                                         .seeds = args_count(args, "seeds", 10),
                                         .trials = args_count(args, "trials", 200),
                                         .workers = (uint32_t)workers,
                                         .asks_take_time = real,
                                         .by_steps = args_has(args, "early-stop"),
                                         .jobs = (unsigned)jobs};
    return read_contenders(args, bench, err) || read_stoppers(args, bench, err) ||
                   read_durations(args, &bench->setup.durations, err) || read_files(args, &bench->rows, err)
               ? -1
               : 0;
}

/* --- running --- */

/* Whether Ctrl-C or a polite kill has come; both are blocked, so that they wait to be asked for. */
static bool is_interrupted(const sigset_t *signals)
{
    return sigtimedwait(signals, NULL, &(struct timespec){0}) > 0;
}

static void paint_series(struct console *console, struct live_line *live, struct series *series, double elapsed)
{
    struct buf line = {0}, cut = {0};
    char left[32];
    uint64_t ended = series_ended(series), count = series_count(series);
    buf_format(&line, "%llu of %llu searches", (unsigned long long)ended, (unsigned long long)count);
    if (ended)
        buf_format(&line, ", %s left",
                   units_show_duration(elapsed / (double)ended * (double)(count - ended), left, sizeof left));
    format_cut(&console->err_look, buf_str(&line), console->err_look.width ? console->err_look.width - 1 : 80, &cut);
    console_paint(live, buf_str(&cut));
    buf_fini(&line);
    buf_fini(&cut);
}

/* Runs all searches; true when it was interrupted. */
static bool run_series(struct console *console, struct series *series, const sigset_t *signals)
{
    struct live_line live = {.stream = console->err};
    bool interrupted = false;
    double start = clock_monotonic();
    while (!series_wait(series, 0.1)) {
        if (is_interrupted(signals)) {
            series_stop(series);
            interrupted = true;
        }
        if (console->err_look.live)
            paint_series(console, &live, series, clock_monotonic() - start);
    }
    console_unpaint(&live);
    return interrupted;
}

static void show_json(struct console *console, const struct bench_command *bench, const struct series *series,
                      const struct cube *cube)
{
    json_t *json = contest_json(cube);
    json_object_set_new(json, "tables", series_tables_json(&bench->setup));
    json_object_set_new(json, "searches", series_searches_json(series));
    console_json(console, json);
}

static void show_results(struct console *console, const struct args *args, const struct bench_command *bench,
                         const struct series *series)
{
    struct buf text = {0};
    struct cube cube;
    bool text_for_programs = args_has(args, "json") || args_has(args, "csv");
    cube_init(&cube, &bench->rows);
    if (args_has(args, "json"))
        show_json(console, bench, series, &cube);
    else if (args_has(args, "csv"))
        rows_write(&bench->rows, &text);
    else
        contest_show(&cube, &console->out_look, &text);
    if (bench->setup.asks_take_time && !text_for_programs)
        series_show_utilisation(series, &bench->contenders, &text);
    console_write(console->out, &text);
    cube_fini(&cube);
    buf_fini(&text);
}

static int run_bench(struct console *console, const struct args *args, struct bench_command *bench)
{
    struct err err;
    sigset_t signals, before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, &before); /* before the threads, which inherit it */
    struct series *series = series_start(&bench->setup, &err);
    if (!series)
        return console_fail(console, STATUS_FAILED, &err);
    bool interrupted = run_series(console, series, &signals);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    bool broken = series_show_broken(series, console);
    series_rows(series, &bench->rows);
    show_results(console, args, bench, series);
    series_end(series);
    return interrupted ? STATUS_INTERRUPTED : broken ? STATUS_FAILED : STATUS_OK;
}

static int run_bench_command(struct console *console, const struct args *args)
{
    struct bench_command bench = {0};
    struct err err;
    int status = open_files(console, args, &bench);
    if (!status)
        status = read_setup(args, &bench, &err) ? console_fail(console, STATUS_USAGE, &err)
                                                : run_bench(console, args, &bench);
    bench_fini(&bench);
    return status;
}

static const struct argument arguments[] = {{"FILE...", "experiment files whose kernel is table or synth", true}, {0}};

static const struct option options[] = {
    {.name = "strategy",
     .type = OPTION_TEXT,
     .value = "LIST",
     .many = true,
     .help = "what to compare, separated by commas: names, with options as in\n"
             "gp:acquisition=ei,warp=false, plug-ins as ./mine.so, programs as exec:./prog\n"
             "(the last of a list); default: the strategy of the first file, and random"},
    OPTION_VALUE("seeds", COUNT, "N", "searches of each, with seeds 1 to N (default: 10)"),
    OPTION_VALUE("trials", COUNT, "N", "trials of a search (default: 200)"),
    OPTION_LETTER("workers", 'w', COUNT, "P", "virtual workers, which ask whenever they are free (default: 1)"),
    OPTION_VALUE("early-stop", TEXT, "LIST",
                 "how trials are stopped early: none,asha:eta=4,median; each with each strategy. Then steps\n"
                 "are counted: --trials N is as many steps as N whole trials have"),
    OPTION_VALUE("durations", WORD, "constant|uniform|exponential|lognormal",
                 "how long trials take when the file does not say it (default: constant)"),
    OPTION_VALUE("trial-time", TEXT, "TIME", "the mean of these durations (default: 60s)"),
    OPTION_VALUE("ask-time", WORD, "free|real",
                 "real: a strategy thinks beside the workers and keeps proposals ready, as in a run;\n"
                 "then use --jobs 1 (default: free)"),
    OPTION_LETTER("jobs", 'j', COUNT, "N", "threads (default: all cores)"),
    OPTION_SET("a key of all the experiment files; may be given several times"),
    {.name = "with",
     .type = OPTION_TEXT,
     .value = "CSV",
     .many = true,
     .help = "results of earlier benchmarks to compare with, as --csv writes them"},
    {.name = "csv", .help = "a row for each search and count of trials (docs/bench.md)"},
    OPTION_JSON("everything as one JSON object (docs/bench.md)"),
    {0}};

const struct command cmd_bench = {
    .name = "bench",
    .group = GROUP_ASK,
    .summary = "Compares strategies on tables and test functions",
    .text = "Runs whole searches in one process on a virtual clock: nothing is trained, so thousands of searches\n"
            "take a minute. Use it to choose a strategy for tables of your own measurements.\n"
            "\n"
            "A search is judged by the trial with the best value that the strategy saw. Where the kernel knows the\n"
            "value without noise (synth: noise, table: repeat: random), that true value counts. The regret is 0 at\n"
            "the best value there is and 1 at the median of all configurations, or of 10,000 random points where\n"
            "there are more than a million (docs/bench.md). Ctrl-C ends it and shows what is complete.",
    .arguments = arguments,
    .options = options,
    .examples = "gannet bench examples/table.yaml --strategy random,sobol --seeds 20\n"
                "gannet bench tables/*.yaml --strategy ./mine.so,random --workers 64 --csv",
    .run = run_bench_command};
