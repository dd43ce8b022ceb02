/* Text for man(1); see roff.h. */
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
