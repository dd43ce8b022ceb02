/* Parameters as arguments; see trial_args.h. */
#include "common/trial_args.h"
#include "common/buf.h"
#include "common/mem.h"
#include "common/value.h"

#include <stdlib.h>
#include <string.h>

const char *const args_style_words[] = {"equals", "space", "plain", "positional", "words", NULL};

enum args_style args_style_named(const char *word)
{
    int style = ARGS_EQUALS;
    while (style < ARGS_STYLES && strcmp(args_style_words[style], word) != 0)
        style++;
    return (enum args_style)style;
}

bool trial_arg_is_switch(const char *arg)
{
    bool pair = strchr(arg, '/') && !strstr(arg, "{}") && (*arg == '-' || *arg == '/');
    return pair || strcmp(arg, "flag") == 0 || strcmp(arg, "no-flag") == 0;
}

/* --- switches --- */

static void add_nonempty(const char *text, size_t length, struct texts *list)
{
    if (length)
        texts_add(list, mem_text_n(text, length));
}

static int add_switch(const char *arg, const char *name, const json_t *value, struct texts *list, struct err *err)
{
    const char *slash = strchr(arg, '/');
    bool on = json_is_true(value);
    if (!json_is_boolean(value))
        return err_set(err, "'%s' is %s on the command line, so it has to be true or false", name, arg);
    if (slash && on)
        add_nonempty(arg, (size_t)(slash - arg), list);
    else if (slash)
        add_nonempty(slash + 1, strlen(slash + 1), list);
    else if (on)
        texts_add(list, mem_format("--%s", name));
    else if (strcmp(arg, "no-flag") == 0)
        texts_add(list, mem_format("--no-%s", name));
    return 0;
}

/* --- values --- */

/* "--rate={}" with the value in it. */
static char *fill_in(const char *word, size_t length, const char *text)
{
    struct buf out = {0};
    for (const char *end = word + length; word < end;)
        if (end - word >= 2 && strncmp(word, "{}", 2) == 0) {
            buf_text(&out, text);
            word += 2;
        } else {
            buf_add(&out, word++, 1);
        }
    return buf_take(&out);
}

static void add_template(const char *arg, const char *text, struct texts *list)
{
    while (*(arg += strspn(arg, " "))) {
        size_t length = strcspn(arg, " ");
        texts_add(list, fill_in(arg, length, text));
        arg += length;
    }
}

static void add_words(const char *text, struct texts *list)
{
    while (*(text += strspn(text, " "))) {
        size_t length = strcspn(text, " ");
        texts_add(list, mem_text_n(text, length));
        text += length;
    }
}

/* An option of one dash has its value behind it: -l=3 would be the value "=3" to most programs. */
static void add_option(enum args_style style, const char *name, const char *text, struct texts *list)
{
    const char *dashes = *name == '-' ? "" : "--";
    bool apart = style != ARGS_EQUALS || (name[0] == '-' && name[1] != '-');
    if (style == ARGS_POSITIONAL) {
        texts_add(list, mem_text(text));
    } else if (style == ARGS_PLAIN) {
        texts_add(list, mem_format("%s=%s", name, text));
    } else if (!apart) {
        texts_add(list, mem_format("%s%s=%s", dashes, name, text));
    } else {
        texts_add(list, mem_format("%s%s", dashes, name));
        if (style == ARGS_WORDS)
            add_words(text, list);
        else
            texts_add(list, mem_text(text));
    }
}

static void add_value(enum args_style style, const char *arg, const char *name, const char *text, struct texts *list)
{
    enum args_style own = arg ? args_style_named(arg) : ARGS_STYLES;
    if (own != ARGS_STYLES)
        add_option(own, name, text, list);
    else if (arg && strstr(arg, "{}"))
        add_template(arg, text, list);
    else
        add_option(style, arg ? arg : name, text, list);
}

int trial_args_add(enum args_style style, const char *arg, const char *name, const json_t *value, struct texts *list,
                   struct err *err)
{
    struct value read = {0};
    struct buf text = {0};
    if (arg && strcmp(arg, "none") == 0)
        return 0;
    if (arg && trial_arg_is_switch(arg))
        return add_switch(arg, name, value, list, err);
    if (value_from_json(value, &read, err))
        return -1;
    value_show(&read, &text);
    value_fini(&read);
    add_value(style, arg, name, buf_str(&text), list);
    buf_fini(&text);
    return 0;
}
