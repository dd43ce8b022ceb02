/* Text for man(1), and pages of Markdown as far as ours use it; see roff.h. */
#include "cli/manual/roff.h"

#include <stdbool.h>
#include <string.h>

void roff_title(const char *name, int section, struct buf *out)
{
    buf_format(out, ".TH \"%s\" %d \"\" \"gannet " GANNET_VERSION "\" \"gannet\"\n.nh\n.ad l\n", name, section);
}

void roff_heading(const char *macro, const char *heading, struct buf *out)
{
    buf_format(out, "%s \"", macro);
    roff_text(heading, strcspn(heading, "\n"), out);
    buf_text(out, "\"\n");
}

/* A dot or an apostrophe that begins a line would be a request. */
void roff_text(const char *text, size_t length, struct buf *out)
{
    for (size_t i = 0; i < length; i++) {
        bool begins = out->length == 0 || buf_str(out)[out->length - 1] == '\n';
        if (begins && (text[i] == '.' || text[i] == '\''))
            buf_text(out, "\\&");
        if (text[i] == '\\')
            buf_text(out, "\\e");
        else if (text[i] == '-')
            buf_text(out, "\\-");
        else if (text[i] == '"')
            buf_text(out, "\\(dq");
        else
            buf_add(out, text + i, 1);
    }
}

void roff_entry(const char *term, const char *meaning, struct buf *out)
{
    buf_text(out, ".TP\n\\fB");
    roff_text(term, strlen(term), out);
    buf_text(out, "\\fR\n");
    roff_text(meaning, strlen(meaning), out);
    buf_text(out, "\n");
}

static void add_verbatim(const char *text, size_t length, struct buf *out)
{
    buf_text(out, ".PP\n.nf\n");
    roff_text(text, length, out);
    buf_text(out, "\n.fi\n");
}

void roff_lines(const char *text, struct buf *out)
{
    add_verbatim(text, strlen(text), out);
}

void roff_paragraphs(const char *text, struct buf *out)
{
    while (*text) {
        const char *end = strstr(text, "\n\n");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        if (*text == ' ') {
            add_verbatim(text, length, out);
        } else {
            buf_text(out, ".PP\n");
            roff_text(text, length, out);
            buf_text(out, "\n");
        }
        text += length;
        text += strspn(text, "\n");
    }
}

/* Adds the inside of a span that ends with `mark` in bold; returns what follows it. */
static const char *add_bold(const char *text, const char *end, const char *mark, struct buf *out)
{
    const char *inside = text + strlen(mark), *close = strstr(inside, mark);
    if (!close || close >= end) {
        roff_text(text, strlen(mark), out);
        return inside;
    }
    buf_text(out, "\\fB");
    roff_text(inside, (size_t)(close - inside), out);
    buf_text(out, "\\fR");
    return close + strlen(mark);
}

/* Adds the words of "[words](place)", or the bracket when it is none; returns what follows. */
static const char *add_link(const char *text, const char *end, struct buf *out)
{
    const char *close = strstr(text, "]("), *after = close ? strchr(close, ')') : NULL;
    if (!after || after >= end || memchr(text + 1, '[', (size_t)(close - text - 1))) {
        roff_text(text, 1, out);
        return text + 1;
    }
    roff_text(text + 1, (size_t)(close - text - 1), out);
    return after + 1;
}

static void add_spans(const char *text, size_t length, struct buf *out)
{
    for (const char *at = text, *end = text + length; at < end;) {
        if (*at == '`')
            at = add_bold(at, end, "`", out);
        else if (strncmp(at, "**", 2) == 0)
            at = add_bold(at, end, "**", out);
        else if (*at == '[')
            at = add_link(at, end, out);
        else if (*at == '\\' && at + 1 < end && at[1] == '|')
            at++;
        else
            roff_text(at++, 1, out);
    }
}

/* The end of a cell: a | that no backslash escapes. */
static const char *find_cell_end(const char *cell, const char *end)
{
    const char *at = cell;
    while (at < end && (*at != '|' || (at > cell && at[-1] == '\\')))
        at++;
    return at;
}

/* A row of a table as an entry of a list: the first cell is the term, each other one a line below it. */
static void add_row(const char *line, size_t length, struct buf *out)
{
    const char *between = ".TP\n", *end = line + length;
    for (const char *cell = line + 1, *stop; cell < end; cell = stop + 1) {
        stop = find_cell_end(cell, end);
        size_t before = strspn(cell, " "), size = (size_t)(stop - cell);
        while (size > before && cell[size - 1] == ' ')
            size--;
        buf_text(out, between);
        add_spans(cell + before, size - before, out);
        between = cell == line + 1 ? "\n" : "\n.br\n";
    }
    buf_text(out, "\n");
}

/* Adds one line that is not within a fence. The heading of a table is the line above |---|. */
static void add_line(const char *line, size_t length, struct buf *out)
{
    const char *next = line + length + (line[length] == '\n');
    if (strncmp(line, "## ", 3) == 0) {
        roff_heading(".SH", line + 3, out);
    } else if (strncmp(line, "### ", 4) == 0) {
        roff_heading(".SS", line + 4, out);
    } else if (strncmp(line, "- ", 2) == 0) {
        buf_text(out, ".IP \\(bu 2\n");
        add_spans(line + 2, length - 2, out);
        buf_text(out, "\n");
    } else if (*line == '|') {
        if (strncmp(line, "|--", 3) != 0 && strncmp(next, "|--", 3) != 0)
            add_row(line, length, out);
    } else if (!length) {
        buf_text(out, ".PP\n");
    } else {
        add_spans(line + strspn(line, " "), length - strspn(line, " "), out);
        buf_text(out, "\n");
    }
}

void roff_markdown(const char *text, struct buf *out)
{
    bool fenced = false;
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        if (strncmp(text, "```", 3) == 0) {
            fenced = !fenced;
            buf_text(out, fenced ? ".nf\n" : ".fi\n");
        } else if (fenced) {
            roff_text(text, length, out);
            buf_text(out, "\n");
        } else if (strncmp(text, "# ", 2) != 0) {
            add_line(text, length, out);
        }
    }
}
