/* Patterns of lines; see line_pattern.h. */
#include "common/line_pattern.h"

#include <ctype.h>
#include <string.h>

static const char *const placeholders[] = {"{value}", "{name}", "{step}", "{any}"};

/* The placeholder that begins here, or LINE_TEXT. */
static enum line_part_kind placeholder_at(const char *text)
{
    for (int kind = 0; kind < LINE_TEXT; kind++)
        if (strncmp(text, placeholders[kind], strlen(placeholders[kind])) == 0)
            return (enum line_part_kind)kind;
    return LINE_TEXT;
}

/* The length of "{word}" where it looks like a placeholder; 0: it does not. */
static size_t braced_length(const char *text)
{
    size_t length = 1;
    while (*text == '{' && (isalnum((unsigned char)text[length]) || strchr("_-./", text[length])) && text[length])
        length++;
    return length > 1 && text[length] == '}' ? length + 1 : 0;
}

static int add_part(struct line_pattern *pattern, enum line_part_kind kind, const char *text, size_t length,
                    struct err *err)
{
    bool adjacent = pattern->count && kind != LINE_TEXT && pattern->parts[pattern->count - 1].kind != LINE_TEXT;
    if (pattern->count == LINE_PARTS_MOST)
        return err_set(err, "it has more than %d parts", LINE_PARTS_MOST);
    if (adjacent)
        return err_set(err, "there is no text between %s and what stands before it, so it is not clear where that ends",
                       placeholders[kind]);
    pattern->parts[pattern->count++] = (struct line_part){kind, text, length};
    return 0;
}

static int check_counts(const struct line_pattern *pattern, struct err *err)
{
    int counts[LINE_TEXT + 1] = {0};
    for (size_t i = 0; i < pattern->count; i++)
        counts[pattern->parts[i].kind]++;
    if (counts[LINE_VALUE] != 1)
        return err_set(err, "it has {value} %s; write it once, where the number stands, as in \"loss is {value}\"",
                       counts[LINE_VALUE] ? "more than once" : "nowhere");
    if (counts[LINE_NAME] > 1 || counts[LINE_STEP] > 1)
        return err_set(err, "it has %s more than once", counts[LINE_NAME] > 1 ? "{name}" : "{step}");
    if (pattern->parts[0].kind == LINE_ANY || pattern->parts[pattern->count - 1].kind == LINE_ANY)
        return err_set(err, "{any} at its beginning or end says nothing: a pattern is found anywhere in a line");
    return 0;
}

int line_pattern_read(const char *text, struct line_pattern *out, struct err *err)
{
    *out = (struct line_pattern){0};
    if (strlen(text) > LINE_PATTERN_LONGEST || strchr(text, '\n') || strchr(text, '\r'))
        return err_set(err, "it is longer than a line of %d bytes", LINE_PATTERN_LONGEST);
    while (*text) {
        enum line_part_kind kind = placeholder_at(text);
        size_t length = kind < LINE_TEXT ? strlen(placeholders[kind]) : 0;
        if (!length && braced_length(text))
            return err_set(err, "%.*s is none of {value}, {name}, {step} and {any}", (int)braced_length(text), text);
        while (kind == LINE_TEXT && text[length] && placeholder_at(text + length) == LINE_TEXT &&
               (!length || !braced_length(text + length)))
            length++;
        if (add_part(out, kind, text, length, err))
            return -1;
        out->has_name |= kind == LINE_NAME;
        out->has_step |= kind == LINE_STEP;
        text += length;
    }
    return check_counts(out, err);
}

/* Whether a path leads out of a directory, or to a directory. */
static bool is_no_file_below(const char *path)
{
    if (*path == '/')
        return true;
    for (;;) {
        size_t length = strcspn(path, "/");
        if (length == 2 && strncmp(path, "..", 2) == 0)
            return true;
        if (!path[length])
            return !length || (length == 1 && *path == '.');
        path += length + 1;
    }
}

int line_pattern_check_file(const char *name, struct err *err)
{
    enum { LONGEST = 200 };
    static const char *const ours[] = {"stdout", "stderr", "params.json", "checkpoint", "config.yaml", "config.json"};
    if (!*name || strlen(name) > LONGEST)
        return err_set(err, "it is %s", *name ? "longer than 200 bytes" : "empty");
    if (is_no_file_below(name))
        return err_set(err,
                       "it is no file of the trial's directory: write a name relative to that, and let the program "
                       "write to $GANNET_TRIAL_DIR/NAME");
    while (strncmp(name, "./", 2) == 0)
        name += 2;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strncmp(name, ours[i], strlen(ours[i])) == 0)
            return err_set(err, "%s is gannet's own name there; choose another", ours[i]);
    return 0;
}
