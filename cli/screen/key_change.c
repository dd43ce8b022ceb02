/* What the capital letters change; see key_change.h. */
#include "cli/screen/key_change.h"
#include "cli/command.h"
#include "cli/json.h"
#include "common/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* On what a change acts, and when it can be made. */
enum subject { ON_LIVING, ON_DEAD, ON_ANY, ON_TRIAL };

static const struct change {
    enum screen_key key;
    enum subject subject;
    const char *words;    /* of the command; "@": the run directory, "#": the trial */
    const char *question; /* %s: the experiment or the trial */
} changes[] = {{PRESS_PAUSE, ON_LIVING, "pause @",
                "Pause the search %s? What runs saves its checkpoint and waits; what has none begins anew later."},
               {PRESS_RESUME, ON_DEAD, "resume @", "Go on with the search %s?"},
               {PRESS_STOP, ON_LIVING, "stop @", "Stop the search %s? What runs may finish first."},
               {PRESS_CANCEL, ON_ANY, "cancel @", "Cancel the search %s? What runs is ended, its jobs are taken back."},
               {PRESS_CANCEL_TRIAL, ON_TRIAL, "cancel @ #", "Cancel trial %s? If it runs, it is ended."},
               {PRESS_RETRY, ON_TRIAL, "retry @ #", "Try trial %s again?"},
               {PRESS_IGNORE, ON_TRIAL, "ignore @ #", "Ignore trial %s? It no longer counts."},
               {PRESS_WORKER, ON_LIVING, "gannet-worker --rundir @",
                "Add a worker to %s on this machine? Its slots wait for cores that others have."}};

static const struct change *change_of(enum screen_key key)
{
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        if (changes[i].key == key)
            return &changes[i];
    return NULL;
}

/* The state of the chosen trial, as far as one of the sections has it; "": it is not known. */
static const char *chosen_state(const struct model *model)
{
    json_t *lists[] = {model_get(model, SECTION_TRIALS, "rows"), model_get(model, SECTION_TOP, "best"),
                       model_get(model, SECTION_TOP, "running")},
           *page = model_get(model, SECTION_TRIAL, "trial"), *trial;
    json_int_t number = (json_int_t)chosen_trial(model);
    size_t index;
    if (json_integer_value(json_object_get(page, "trial")) == number)
        return json_text(page, "state");
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        json_array_foreach(lists[i], index, trial)
        {
            if (json_integer_value(json_object_get(trial, "trial")) == number)
                return json_text(trial, "state");
        }
    return "";
}

/* What can't be done to a trial in its state. The command would say it, too. */
static void refuse_trial(const struct model *model, enum screen_key key, struct buf *why)
{
    int state = trial_state_named(chosen_state(model));
    bool lives = state == TRIAL_WAITING || state == TRIAL_RUNNING || state == TRIAL_PAUSED;
    if (state < 0)
        return;
    if (key == PRESS_CANCEL_TRIAL && !lives)
        buf_format(why, "trial %" PRIu64 " has ended", chosen_trial(model));
    else if (key == PRESS_RETRY && state != TRIAL_FAILED)
        buf_format(why, "trial %" PRIu64 " has not failed", chosen_trial(model));
    else if (key == PRESS_IGNORE && lives)
        buf_format(why, "trial %" PRIu64 " has not ended", chosen_trial(model));
}

static bool refuse_subject(const struct model *model, enum subject subject, struct buf *why)
{
    bool lives = json_is_true(json_object_get(model_get(model, SECTION_OVERVIEW, "status"), "lives"));
    if (subject == ON_TRIAL && !chosen_trial(model))
        buf_text(why, "no trial is chosen here: the screen of trials has them");
    else if (subject == ON_LIVING && !lives)
        buf_text(why, "it does not run");
    else if (subject == ON_DEAD && lives)
        buf_text(why, "it runs already");
    return why->length > 0;
}

bool key_change_refuse(const struct model *model, enum screen_key key, struct buf *why)
{
    const struct change *change = change_of(key);
    if (!change)
        return true;
    if (model->view.read_only)
        buf_text(why, "nothing is changed from here: it was opened to look only");
    else if (!model->directory || model->view.screen == SCREEN_EXPERIMENTS)
        buf_text(why, "no experiment is open: Enter opens the chosen one");
    else
        refuse_subject(model, change->subject, why);
    if (!why->length && change->subject == ON_TRIAL)
        refuse_trial(model, key, why);
    return why->length > 0;
}

void key_change_question(const struct model *model, enum screen_key key, struct buf *out)
{
    const struct change *change = change_of(key);
    char *subject = change->subject == ON_TRIAL
                        ? mem_format("%" PRIu64 " of %s", chosen_trial(model), model->name ? model->name : "")
                        : mem_text(model->name ? model->name : "");
    const char *hole = strstr(change->question, "%s");
    buf_add(out, change->question, (size_t)(hole - change->question));
    buf_text(out, subject);
    buf_format(out, "%s y/N ", hole + 2);
    free(subject);
}

/* --- the command --- */

enum { MOST_WORDS = 8 };

static void add_word(char **words, char *word)
{
    size_t count = 0;
    while (words[count])
        count++;
    if (count + 1 < MOST_WORDS)
        words[count] = word;
    else
        free(word);
}

static void add_words(char **words, const struct model *model, const char *pattern)
{
    while (*pattern) {
        size_t length = strcspn(pattern, " ");
        add_word(words, *pattern == '@'   ? mem_text(model->directory)
                        : *pattern == '#' ? mem_format("%" PRIu64, model->view.asked_trial)
                                          : mem_text_n(pattern, length));
        pattern += length + (pattern[length] == ' ');
    }
}

/* What was submitted to Slurm goes on as a job, what ran here runs here. */
static const char *resume_words(const struct model *model)
{
    json_t *slurm = json_object_get(model_get(model, SECTION_OVERVIEW, "status"), "slurm");
    return json_is_null(slurm) || !slurm ? "run @ --resume --detach" : "resume @";
}

/* $0 is the program, $1 the run directory. It goes on when the screen is left. */
static const char leave_worker[] =
    "exec setsid -f \"$0\" --rundir \"$1\" >>\"$1\"/logs/added-worker.log 2>&1 </dev/null";

char **key_change_words(const struct model *model)
{
    const struct change *change = change_of((enum screen_key)model->view.asked);
    char **words = MEM_ARRAY(char *, MOST_WORDS);
    if (!change)
        return words;
    if (change->key == PRESS_WORKER) {
        add_word(words, mem_text("sh"));
        add_word(words, mem_text("-c"));
        add_word(words, mem_text(leave_worker));
        add_words(words, model, "gannet-worker @");
    } else {
        add_word(words, mem_text("gannet"));
        add_words(words, model, change->key == PRESS_RESUME ? resume_words(model) : change->words);
    }
    return words;
}

bool key_change_only_looks(const char *command)
{
    const struct command *known = command ? command_find(command) : NULL;
    return known && (known->group == GROUP_LOOK || known->group == GROUP_ASK);
}
