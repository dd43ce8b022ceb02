/* What a word may become; see complete.h. */
#include "cli/screen/complete.h"
#include "cli/screen/key_change.h"
#include "cli/command.h"
#include "cli/json.h"
#include "common/mem.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- words that fit --- */

struct completions {
    const char *begin; /* of the word before the caret, so many bytes */
    size_t length;
    struct buf common, listed; /* what all that fit begin with, and they themselves */
    size_t count;
};

static bool is_listed(const struct completions *choices, const char *word, size_t length)
{
    const char *at = buf_str(&choices->listed);
    while (*at) {
        size_t here = strcspn(at, " ");
        if (here == length && memcmp(at, word, length) == 0)
            return true;
        at += here + (at[here] == ' ');
    }
    return false;
}

static void add_choice(struct completions *choices, const char *word, size_t length)
{
    bool fits = length >= choices->length && memcmp(word, choices->begin, choices->length) == 0;
    if (!fits || !length || is_listed(choices, word, length))
        return;
    size_t same = 0;
    while (same < length && same < choices->common.length && word[same] == choices->common.data[same])
        same++;
    if (choices->count++)
        choices->common.length = same;
    else
        buf_add(&choices->common, word, length);
    buf_format(&choices->listed, "%s%.*s", choices->listed.length ? " " : "", (int)length, word);
}

/* Words that one of `between` parts. */
static void add_choices(struct completions *choices, const char *words, const char *between)
{
    for (size_t length; *words; words += length + (words[length] != 0)) {
        length = strcspn(words, between);
        add_choice(choices, words, length);
    }
}

/* --- behind ":" --- */

/* The words before the one that is typed, the first of them a command. */
struct before {
    const struct command *command;
    const char *last; /* so many bytes */
    size_t last_length, count;
};

static struct before read_before(const char *line, const char *end)
{
    struct before before = {0};
    while (line < end) {
        line += strspn(line, " ");
        size_t length = strcspn(line, " ");
        if (line + length >= end)
            break;
        char *word = mem_text_n(line, length);
        bool ours = !before.count && strcmp(word, "gannet") == 0;
        if (!before.count && !ours)
            before.command = command_find(word);
        before.count += !ours;
        before.last = line;
        before.last_length = length;
        free(word);
        line += length;
    }
    return before;
}

static void add_commands(struct completions *choices, const struct view *view)
{
    for (const struct command *const *at = command_list; *at; at++)
        if ((*at)->group != GROUP_HIDDEN && (!view->read_only || key_change_only_looks((*at)->name)))
            add_choice(choices, (*at)->name, strlen((*at)->name));
}

static void add_options(struct completions *choices, const struct option *options)
{
    for (; options && options->name; options++) {
        char *word = mem_format("--%s", options->name);
        add_choice(choices, word, strlen(word));
        free(word);
    }
}

/* The option whose value is typed; NULL: it is none. */
static const struct option *option_before(const struct before *before)
{
    const struct option *option = before->command->options;
    if (before->last_length < 3 || memcmp(before->last, "--", 2) != 0)
        return NULL;
    for (; option && option->name; option++)
        if (option->type != OPTION_SWITCH && strlen(option->name) == before->last_length - 2 &&
            memcmp(option->name, before->last + 2, before->last_length - 2) == 0)
            return option;
    return NULL;
}

static void add_numbers(struct completions *choices, const json_t *trials)
{
    size_t index;
    const json_t *trial;
    json_array_foreach((json_t *)trials, index, trial)
    {
        char *word = mem_format("%" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(trial, "trial")));
        add_choice(choices, word, strlen(word));
        free(word);
    }
}

/* An experiment's name; one that is no word as it stands is typed in quotes, which nothing completes. */
static void add_name(struct completions *choices, const char *name)
{
    if (!strpbrk(name, " '\"\\"))
        add_choice(choices, name, strlen(name));
}

/* Experiments; and of the one that is open the best trial, and those that were read. */
static void add_subjects(struct completions *choices, const struct model *model)
{
    size_t index;
    const json_t *one;
    if (model->name)
        add_name(choices, model->name);
    json_array_foreach(model_get(model, SECTION_EXPERIMENTS, "experiments"), index, one)
    {
        add_name(choices, json_text(one, "name"));
    }
    add_choice(choices, "best", 4);
    add_numbers(choices, model_get(model, SECTION_TRIALS, "rows"));
    add_numbers(choices, model_get(model, SECTION_TOP, "running"));
    add_numbers(choices, model_get(model, SECTION_TOP, "best"));
}

static void add_arguments(struct completions *choices, const struct model *model, const struct command *command)
{
    struct buf words = {0};
    if (command->words)
        command->words(&words);
    add_choices(choices, buf_str(&words), " ");
    if (command->arguments && strncmp(command->arguments[0].name, "EXP", 3) == 0)
        add_subjects(choices, model);
    buf_fini(&words);
}

static void add_for_command(struct completions *choices, const struct model *model)
{
    struct before before = read_before(model->view.typed, choices->begin + choices->length);
    if (!before.count) {
        add_commands(choices, &model->view);
        return;
    }
    const struct option *option = before.command ? option_before(&before) : NULL;
    if (option && option->type == OPTION_WORD) {
        add_choices(choices, option->value, "|");
    } else if (before.command && !option && *choices->begin == '-') {
        add_options(choices, before.command->options);
        add_options(choices, option_common);
    } else if (before.command && !option) {
        add_arguments(choices, model, before.command);
    }
}

/* --- the whole --- */

/* Where the word before the caret begins: of a command line behind a space, elsewhere behind what is no name's. */
static const char *begin_word(const struct view *view, const char *caret)
{
    const char *begin = caret;
    while (begin > view->typed)
        if (view->prompt == PROMPT_COMMAND ? begin[-1] == ' '
                                           : !isalnum((unsigned char)begin[-1]) && !strchr("_.", begin[-1]))
            break;
        else
            begin--;
    return begin;
}

void complete_word(const struct model *model, struct buf *lacks, struct buf *listed)
{
    const struct view *view = &model->view;
    const struct screen_kind *kind = screen_kind(view->screen);
    size_t length = strlen(view->typed);
    const char *caret = view->typed + (view->caret < length ? view->caret : length);
    struct completions choices = {.begin = begin_word(view, caret)};
    struct buf words = {0};
    choices.length = (size_t)(caret - choices.begin);
    if (view->prompt == PROMPT_COMMAND)
        add_for_command(&choices, model);
    else if (kind->complete)
        kind->complete(model, view->prompt, &words);
    add_choices(&choices, buf_str(&words), " ");
    if (choices.count)
        buf_add(lacks, choices.common.data + choices.length, choices.common.length - choices.length);
    if (choices.count == 1)
        buf_text(lacks, " ");
    else
        buf_text(listed, buf_str(&choices.listed));
    buf_fini(&words);
    buf_fini(&choices.common);
    buf_fini(&choices.listed);
}
