/* Guessing the metric; see metric_guess.h. */
#include "cli/start/metric_guess.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* What is measured, best first: on data that was held back before what was trained on. */
static const struct metric_words {
    const char *words; /* separated by spaces */
    bool maximize;
} rows[] = {
    {"val_loss valid_loss validation_loss eval_loss dev_loss", false},
    {"val_acc val_accuracy valid_acc valid_accuracy validation_accuracy eval_acc eval_accuracy dev_acc", true},
    {"val_f1 eval_f1 val_auc eval_auc val_score mean_reward eval_reward", true},
    {"val_mse val_rmse val_mae val_error val_ppl val_perplexity", false},
    {"test_acc test_accuracy test_f1 test_auc", true},
    {"test_loss test_error test_mse test_rmse", false},
    {"accuracy acc f1 auc auroc roc_auc bleu rouge miou iou dice map r2 top1", true},
    {"rmse mse mae error perplexity ppl wer cer fid", false},
    {"reward return score", true},
    {"loss objective cost", false},
    {"train_acc train_accuracy", true},
    {"train_loss", false},
};

/* Plain names such as `loss` and `mse` stand for other things in a help text. */
enum { ROWS = sizeof rows / sizeof *rows, HELD_BACK_ROWS = 6, LONGEST_LINE = 2000 };

/* What shows a line to be one that reports. */
static const char *const reporting[] = {"print(",  ".log(",      ".info(",     ".write(",
                                        "report(", "log_metric", "add_scalar", "echo("};

static bool has_text(const char *line, size_t length, const char *text)
{
    return memmem(line, length, text, strlen(text));
}

static bool line_reports(const char *line, size_t length)
{
    for (size_t i = 0; i < sizeof reporting / sizeof *reporting; i++)
        if (has_text(line, length, reporting[i]))
            return true;
    return false;
}

static bool is_part(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Where the word stands by itself in the line, whatever its case, and is not the name of a function; NULL: nowhere. */
static const char *find_word(const char *line, size_t length, const char *word, size_t size)
{
    for (size_t at = 0; at + size <= length; at++)
        if (strncasecmp(line + at, word, size) == 0 && (!at || !is_part(line[at - 1])) &&
            (at + size == length || (!is_part(line[at + size]) && line[at + size] != '(')))
            return line + at;
    return NULL;
}

/* Behind a placeholder such as "{}", "{loss:.3f}" or "%.3f"; NULL: there is none. */
static const char *skip_placeholder(const char *at)
{
    if (*at == '{') {
        at += strcspn(at, "}\"'\n");
        return *at ? at + 1 : at;
    }
    if (*at != '%')
        return NULL;
    at += 1 + strspn(at + 1, "0123456789.");
    return isalpha((unsigned char)*at) ? at + 1 : NULL;
}

/* Whether a value follows the name as our reader of lines finds it: "loss=%f", "loss: {x}", "loss:", x; of "{}/{}" the
 * first is none. */
static bool goes_on_with_value(const char *after)
{
    if (*after == '=')
        return after[1] != '=';
    bool colon = *after == ':';
    after += colon;
    after += strspn(after, " ");
    const char *behind = skip_placeholder(after);
    return behind ? *behind != '/' : colon && (*after == '"' || *after == '\'') && after[1] == ',';
}

/* Whether what stands there is the key of a map with a value that is no text: "loss": x. */
static bool is_key(const char *line, const char *at, size_t size)
{
    const char *after = at + size;
    if (at == line || !strchr("\"'", at[-1]) || *after != at[-1] || after[1] != ':')
        return false;
    after += 2 + strspn(after + 2, " ");
    return *after && !strchr("\"'\r\n", *after);
}

/* Whether the line prints what stands there with its value: within a text, not as an argument of a call; or as a key,
 * of what is printed there or as JSON elsewhere. */
static bool prints_value(const char *line, size_t length, const char *at, size_t size, bool prints_json)
{
    size_t quotes = 0;
    if (is_key(line, at, size))
        return prints_json || has_text(line, length, "print(");
    for (const char *c = line; c < at; c++)
        quotes += *c == '"' || *c == '\'';
    bool is_printed = strchr("\"'", at[size]) && at[size] && at[size + 1] == ',' && has_text(line, length, "print(");
    return quotes % 2 && (is_printed || goes_on_with_value(at + size));
}

/* Looks in a line of the source, or of a help text (number 0), for names of rows before *best. */
static void look_in_line(const char *line, size_t length, size_t number, bool prints_json, size_t *best,
                         struct metric_guess *guess)
{
    bool said = number == 0 || line_reports(line, length);
    for (size_t i = 0; i < ROWS && i <= *best; i++)
        for (const char *word = rows[i].words; *word; word += strspn(word, " ")) {
            size_t size = strcspn(word, " ");
            const char *at = find_word(line, length, word, size);
            bool printed = at && (said || prints_json) && prints_value(line, length, at, size, prints_json);
            if (at && (said || printed) && (i < *best || (printed && !guess->printed))) {
                *best = i;
                *guess = (struct metric_guess){.maximize = rows[i].maximize, .printed = printed, .line = number};
                snprintf(guess->name, sizeof guess->name, "%.*s", (int)size, at);
            }
            word += size;
        }
}

/* Whether a line prints JSON; what is in it may be put together in others. */
static bool source_prints_json(const char *source)
{
    for (; *source; source += *source == '\n') {
        size_t length = strcspn(source, "\n");
        if (has_text(source, length, "json.dumps(") && line_reports(source, length))
            return true;
        source += length;
    }
    return false;
}

struct metric_guess metric_guess(const char *source)
{
    struct metric_guess guess = {.name = "val_loss"};
    bool prints_json = source_prints_json(source);
    size_t best = ROWS, number = 1;
    for (; *source; number++) {
        size_t length = strcspn(source, "\n");
        if (length < LONGEST_LINE)
            look_in_line(source, length, number, prints_json, &best, &guess);
        source += length + (source[length] == '\n');
    }
    return guess;
}

struct metric_guess metric_guess_of_help(const char *help)
{
    struct metric_guess guess = {.name = "val_loss"};
    size_t best = HELD_BACK_ROWS;
    for (; *help; help += *help == '\n') {
        size_t length = strcspn(help, "\n");
        if (length < LONGEST_LINE)
            look_in_line(help, length, 0, false, &best, &guess);
        help += length;
    }
    guess.in_help = best < HELD_BACK_ROWS;
    guess.printed = false;
    return guess;
}

bool metric_guess_maximize(const char *name, bool *known)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < ROWS; i++)
        for (const char *word = rows[i].words; *word; word += strspn(word, " ")) {
            size_t size = strcspn(word, " ");
            *known = true;
            if (length == size && strncasecmp(name, word, size) == 0)
                return rows[i].maximize;
            word += size;
        }
    *known = false;
    return false;
}
