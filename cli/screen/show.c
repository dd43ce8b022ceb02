/* The screen on a terminal; see show.h.
 *
 *     what comes                          what follows
 *     a key                               the view changes, the frame is drawn at once
 *     a section (a thread reads them)     the frame is drawn, two times a second at most
 *     a second passes                     the same: clocks and ages go on
 *     SIGWINCH                            another size, the frame is drawn anew
 *     SIGTSTP, SIGCONT                    the terminal is given back, and taken again
 *     SIGTERM, SIGHUP, SIGINT             the end
 *
 * After each, the sections that the screen needs now are asked for. Nothing here waits for a disk, a coordinator or a
 * child. */
#include "cli/screen/show.h"
#include "cli/screen/command_child.h"
#include "cli/screen/key_change.h"
#include "cli/screen/frame.h"
#include "cli/screen/press.h"
#include "cli/screen/terminal.h"
#include "cli/screen/words.h"
#include "cli/data/target.h"
#include "common/clock.h"
#include "common/mem.h"
#include "common/path.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double frame_seconds = 0.5, idle_seconds = 1;

struct show {
    const struct show_setup *setup;
    struct loop *loop;
    struct terminal *terminal;
    struct fetch *fetch;
    struct loop_watch *fetched, *timer;
    struct model model;
    struct command_child *child;
    bool changes; /* the child is a change: what it says is a note */
    unsigned rows, columns;
    unsigned cursor; /* the row of the last frame in which the chosen one stood */
    double drawn;    /* when, on the monotonic clock */
    bool anew;
    int signal;
};

/* --- frames --- */

static void want_sections(struct show *show)
{
    struct wants wants;
    frame_want(&show->model.view, show->rows, show->columns, &wants);
    if (show->fetch)
        fetch_want(show->fetch, &wants);
}

static void make_frame(struct show *show, struct canvas *canvas)
{
    canvas_init(canvas, show->rows, show->columns, &show->setup->look);
    frame_draw(&show->model, canvas);
}

static void draw_frame(struct show *show)
{
    struct canvas canvas;
    if (!show->model.view.holds)
        show->model.now = clock_wall();
    make_frame(show, &canvas);
    terminal_show(show->terminal, &canvas, show->anew);
    show->cursor = canvas.cursor_row;
    canvas_fini(&canvas);
    show->anew = false;
    show->drawn = clock_monotonic();
    want_sections(show);
    loop_move(show->timer, idle_seconds);
}

/* The size is looked at, too: a terminal that is not our own sends no signal when it changes. */
static void on_time(void *context)
{
    struct show *show = context;
    unsigned rows = show->rows, columns = show->columns;
    terminal_measure(show->terminal, &show->rows, &show->columns);
    show->anew = show->anew || rows != show->rows || columns != show->columns;
    draw_frame(show);
}

/* Soon: not more often than two times a second. */
static void draw_soon(struct show *show)
{
    double wait = show->drawn + frame_seconds - clock_monotonic();
    loop_move(show->timer, wait > 0 ? wait : 0);
}

/* --- sections --- */

static void on_fetched(void *context)
{
    struct show *show = context;
    bool any = false;
    for (enum section i = 0; i < SECTIONS_COUNT; i++) {
        struct section_value passed = {0};
        any |= fetch_take(show->fetch, i, show->model.view.holds ? &passed : &show->model.sections[i]);
        section_value_fini(&passed);
    }
    if (any)
        draw_soon(show);
}

static int open_experiment(struct show *show, const struct rundir *dir, const char *name, struct err *err)
{
    show->fetch = fetch_start(dir, err);
    if (!show->fetch)
        return -1;
    show->fetched = loop_read(show->loop, fetch_descriptor(show->fetch), on_fetched, show);
    show->model.name = mem_text(name);
    show->model.directory = mem_text(dir->path);
    show->model.handle = target_handle(dir);
    return 0;
}

/* Another experiment takes the place of the one that is shown. The reading under way is finished first. */
static void change_experiment(struct show *show)
{
    struct view *view = &show->model.view;
    struct rundir dir;
    struct err err;
    rundir_name(view->experiment, &dir);
    *view->experiment = '\0';
    loop_remove(show->fetched);
    fetch_stop(show->fetch);
    for (enum section i = 0; i < SECTIONS_COUNT; i++)
        if (i != SECTION_EXPERIMENTS)
            section_value_fini(&show->model.sections[i]);
    free(show->model.name);
    free(show->model.directory);
    free(show->model.handle);
    show->model.name = show->model.directory = show->model.handle = NULL;
    show->fetched = NULL;
    view_forget(view);
    if (open_experiment(show, &dir, path_base(dir.path), &err))
        view_note(view, "%s", err.text);
    rundir_fini(&dir);
}

/* --- commands --- */

/* Its first line that has words, as the note: what follows says what else one could do. A worker says nothing. */
static void note_output(struct model *model)
{
    bool worker = model->view.asked == PRESS_WORKER;
    const char *line = buf_str(&model->output.text);
    line += strspn(line, " \n");
    if (*line)
        view_note(&model->view, "%.*s", (int)strcspn(line, "\n"), line);
    else
        view_note(&model->view,
                  model->output.status ? "it failed, with exit status %d"
                  : worker             ? "a worker was started; the screen of workers shows it"
                                       : "done",
                  model->output.status);
}

static void on_child(void *context)
{
    struct show *show = context;
    if (!show->model.output.runs && show->changes) {
        note_output(&show->model);
        show->changes = false;
        draw_frame(show);
    } else {
        draw_soon(show);
    }
}

/* Takes the words over. */
static void run_words(struct show *show, char **words, const char *title, bool changes)
{
    struct err err;
    command_child_stop(show->child);
    show->changes = changes;
    show->child = command_child_start(show->loop, words, title, &show->model, on_child, show, &err);
    if (!show->child)
        view_note(&show->model.view, "%s", err.text);
    else if (changes)
        view_note(&show->model.view, "asking ...");
    words_free(words);
}

static void run_typed(struct show *show)
{
    struct view *view = &show->model.view;
    struct err err;
    char **words = words_of(view->typed, show->model.directory, &err);
    if (!words) {
        view_note(view, "%s", err.text);
        return;
    }
    if (view->read_only && !key_change_only_looks(words[1])) {
        view_note(view, "gannet %s may change something, and this was opened to look only", words[1] ? words[1] : "");
        words_free(words);
        return;
    }
    run_words(show, words, view->typed, false);
    if (show->child)
        view_show_output(view);
}

/* Who has left what a command says has no use for it any more. */
static void leave_output(struct show *show)
{
    if (!show->child || show->changes || show->model.view.screen == SCREEN_OUTPUT)
        return;
    command_child_stop(show->child);
    show->child = NULL;
}

/* --- actions --- */

/* A name that is free, here: two frames of one second are two files. free() it. */
static char *name_file(const struct show *show)
{
    char when[32];
    time_t now = time(NULL);
    struct tm parts;
    const char *screen = screen_name(show->model.view.screen);
    strftime(when, sizeof when, "%Y%m%d-%H%M%S", localtime_r(&now, &parts));
    char *path = mem_format("gannet-%s-%s.txt", screen, when);
    for (unsigned i = 2; path_exists(path); i++) {
        free(path);
        path = mem_format("gannet-%s-%s-%u.txt", screen, when, i);
    }
    return path;
}

static void write_frame(struct show *show)
{
    struct canvas canvas;
    struct buf text = {0};
    struct err err;
    char *path = name_file(show);
    make_frame(show, &canvas);
    canvas.look.colour = false;
    canvas_write(&canvas, &text);
    canvas_fini(&canvas);
    if (path_put(path, buf_str(&text), text.length, 0644, &err))
        view_note(&show->model.view, "%s", err.text);
    else
        view_note(&show->model.view, "written to %s", path);
    buf_fini(&text);
    free(path);
}

static void do_action(struct show *show, enum press_action action)
{
    struct view *view = &show->model.view;
    switch (action) {
    case ACTION_NONE:
        break;
    case ACTION_QUIT:
        loop_stop(show->loop);
        break;
    case ACTION_REDRAW:
        show->anew = true;
        break;
    case ACTION_WRITE:
        write_frame(show);
        break;
    case ACTION_MOUSE:
        view_note(view, terminal_mouse(show->terminal) ? "a click chooses a row; F2 gives the mouse back"
                                                       : "the mouse is the terminal's again");
        break;
    case ACTION_RUN:
        run_typed(show);
        break;
    case ACTION_CHANGE:
        run_words(show, key_change_words(&show->model), view->question, true);
        break;
    }
}

/* What was typed before a question was seen is no answer to it. */
static void take_key(struct show *show, const char *spelling)
{
    enum prompt before = show->model.view.prompt;
    do_action(show, press_key(&show->model, spelling));
    if (show->model.view.prompt == PROMPT_CHANGE && before != PROMPT_CHANGE)
        terminal_drop_typed(show->terminal);
}

/* Those that are there; false: there was none. */
static bool take_keys(struct show *show)
{
    struct press press;
    bool any = false;
    for (; terminal_read(show->terminal, &press); any = true) {
        if (press.pasted)
            press_pasted(&show->model, press.spelling);
        else if (strcmp(press.spelling, "Click") == 0)
            press_click(&show->model, press.row, show->cursor);
        else
            take_key(show, press.spelling);
    }
    return any;
}

static void on_key(void *context)
{
    struct show *show = context;
    bool any = take_keys(show);
    if (!any && terminal_is_gone(show->terminal)) {
        show->signal = SIGHUP;
        loop_stop(show->loop);
        return;
    }
    any = any || take_keys(show); /* one may have come while that was asked, and is not announced any more */
    leave_output(show);
    if (*show->model.view.experiment)
        change_experiment(show);
    if (any)
        draw_frame(show);
}

/* --- signals --- */

static void measure_window(struct show *show)
{
    terminal_measure(show->terminal, &show->rows, &show->columns);
    show->anew = true;
    draw_frame(show);
}

static void on_resize(void *context)
{
    measure_window(context);
}

/* Another process may have had the terminal, in another size. */
static void on_stop(void *context)
{
    struct show *show = context;
    terminal_leave(show->terminal);
    raise(SIGSTOP);
    measure_window(show);
}

static void on_interrupt(void *context)
{
    struct show *show = context;
    show->signal = SIGINT;
    loop_stop(show->loop);
}

static void on_terminate(void *context)
{
    struct show *show = context;
    show->signal = SIGTERM;
    loop_stop(show->loop);
}

static void on_hangup(void *context)
{
    struct show *show = context;
    show->signal = SIGHUP;
    loop_stop(show->loop);
}

static void watch_signals(struct show *show)
{
    loop_signal(show->loop, SIGWINCH, on_resize, show);
    loop_signal(show->loop, SIGTSTP, on_stop, show);
    loop_signal(show->loop, SIGINT, on_interrupt, show);
    loop_signal(show->loop, SIGTERM, on_terminate, show);
    loop_signal(show->loop, SIGHUP, on_hangup, show);
}

/* --- the whole --- */

static int run_show(struct show *show, struct err *err)
{
    if (open_experiment(show, show->setup->dir, show->setup->name, err))
        return -1;
    show->terminal = terminal_open(&show->setup->look, err);
    if (!show->terminal)
        return SHOW_NO_SCREEN;
    loop_read(show->loop, STDIN_FILENO, on_key, show);
    show->timer = loop_timer(show->loop, 0, on_time, show);
    measure_window(show);
    int status = loop_run(show->loop, err);
    return status ? status : show->signal ? SHOW_KILLED : SHOW_LEFT;
}

int show_experiment(const struct show_setup *setup, int *signal_number, struct err *err)
{
    struct show show = {.setup = setup};
    show.model.programs = mem_text(setup->programs);
    show.model.view.follows = true;
    show.model.view.read_only = setup->read_only;
    show.model.view.several = setup->several;
    show.model.view.screen = setup->several ? SCREEN_EXPERIMENTS : SCREEN_OVERVIEW;
    signal(SIGPIPE, SIG_IGN);
    show.loop = loop_create();
    watch_signals(&show); /* before the thread that reads is started */
    int status = run_show(&show, err);
    terminal_close(show.terminal);
    *signal_number = show.signal;
    command_child_stop(show.child);
    fetch_stop(show.fetch);
    loop_destroy(show.loop);
    screen_model_fini(&show.model);
    return status;
}
