/* Drawing flame graphs; see svg.h. */
#include "cli/flame/svg.h"
#include "common/markup.h"
#include "common/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 1200,
    ROW = 17,
    HEAD = 46, /* above the drawing */
    FOOT = 40, /* below it */
    LETTER = 7 /* width of one in the names */
};
static const double narrowest = 0.1; /* what is narrower is not drawn */

/* What is shown of the depth 0 at the left and so on is drawn again by the script when a frame is chosen: it reads the
 * place and share of each from its attributes. Names are only ever put in as text. */
static const char script[] =
    "<script><![CDATA[\n"
    "'use strict';\n"
    "var svg = document.documentElement, frames = Array.from(svg.querySelectorAll('g.f')), from = 0, share = 1;\n"
    "function number(frame, name) { return parseFloat(frame.getAttribute(name)); }\n"
    "function fit(frame, width) {\n"
    "  var text = frame.querySelector('text'), name = frame.getAttribute('data-name');\n"
    "  var room = Math.floor((width - 4) / 7);\n"
    "  text.textContent = room < 3 ? '' : name.length <= room ? name : name.slice(0, room - 1) + '\\u2026';\n"
    "}\n"
    "function place() {\n"
    "  frames.forEach(function (frame) {\n"
    "    var left = number(frame, 'data-x'), part = number(frame, 'data-w'), end = left + part;\n"
    "    var within = end > from + 1e-9 && left < from + share - 1e-9;\n"
    "    var x = (Math.max(left, from) - from) / share * 1200, right = (Math.min(end, from + share) - from) / share * "
    "1200;\n"
    "    frame.style.display = within && right - x >= 0.1 ? '' : 'none';\n"
    "    frame.querySelector('rect').setAttribute('x', x);\n"
    "    frame.querySelector('rect').setAttribute('width', Math.max(right - x - 0.3, 0.1));\n"
    "    frame.querySelector('text').setAttribute('x', x + 3);\n"
    "    fit(frame, right - x);\n"
    "  });\n"
    "}\n"
    "function zoom(frame) { from = number(frame, 'data-x'); share = number(frame, 'data-w'); place(); }\n"
    "function search() {\n"
    "  var word = prompt('Search for a name (regular expression):', ''), pattern = null, spans = [], sum = 0, end = "
    "0;\n"
    "  if (word === null) return;\n"
    "  try { pattern = word && new RegExp(word); } catch (e) { alert(e.message); return; }\n"
    "  frames.forEach(function (frame) {\n"
    "    var found = pattern && pattern.test(frame.getAttribute('data-name'));\n"
    "    frame.classList.toggle('found', Boolean(found));\n"
    "    if (found) spans.push([number(frame, 'data-x'), number(frame, 'data-w')]);\n"
    "  });\n"
    "  spans.sort(function (a, b) { return a[0] - b[0]; });\n"
    "  spans.forEach(function (s) { var last = s[0] + s[1];\n"
    "    if (last > end) { sum += last - Math.max(s[0], end); end = last; } });\n"
    "  document.getElementById('found').textContent = pattern ? 'found: ' + (100 * sum).toFixed(1) + ' %' : '';\n"
    "}\n"
    "frames.forEach(function (frame) {\n"
    "  frame.addEventListener('click', function () { zoom(frame); });\n"
    "  frame.addEventListener('keydown', function (e) { if (e.key === 'Enter') zoom(frame); });\n"
    "});\n"
    "document.getElementById('whole').addEventListener('click', function () { from = 0; share = 1; place(); });\n"
    "document.getElementById('search').addEventListener('click', search);\n"
    "window.addEventListener('keydown', function (e) {\n"
    "  if ((e.ctrlKey && e.key === 'f') || e.key === 'F3') { e.preventDefault(); search(); }\n"
    "  if (e.key === 'Escape') { from = 0; share = 1; place(); }\n"
    "});\n"
    "]]></script>\n";

static const char *const colours[] = {
#define X(id, words, colour) colour,
    FRAME_KINDS(X)
#undef X
};
static const char *const legend[] = {
#define X(id, words, colour) words,
    FRAME_KINDS(X)
#undef X
};

struct flame_drawing {
    double all; /* samples */
    uint32_t depth;
    struct buf *out;
};

/* The first letters of a name that have room; the rest is added by the script once there is some. */
static void add_fitting(const char *name, double width, struct buf *out)
{
    size_t room = width > 4 ? (size_t)((width - 4) / LETTER) : 0, length = 0;
    if (room < 3)
        return;
    for (size_t i = 0, shown, step; i < room && name[length]; i += shown, length += step ? step : 1)
        step = markup_letter(name + length, &shown);
    char *shown = mem_text_n(name, length);
    markup_text(shown, out);
    free(shown);
}

static void draw_node(const struct flame_drawing *drawing, const struct stack_node *node, double left, uint32_t row)
{
    double share = (double)node->total / drawing->all, x = left * WIDTH, width = share * WIDTH;
    uint32_t y = HEAD + (drawing->depth - row) * ROW;
    struct buf *out = drawing->out;
    buf_format(out, "<g class=\"f\" tabindex=\"0\" data-x=\"%.9g\" data-w=\"%.9g\" data-name=\"", left, share);
    markup_text(node->name, out);
    buf_text(out, "\"><title>");
    markup_text(node->name, out);
    buf_format(out, " - %" PRIu64 " samples, %.2f %%; itself %.2f %%</title>", node->total, 100 * share,
               100 * (double)node->self / drawing->all);
    buf_format(out, "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/><text x=\"%.2f\" y=\"%u\">", x,
               (unsigned)y, width > 0.4 ? width - 0.3 : 0.1, ROW - 1, colours[node->kind], x + 3, (unsigned)(y + 12));
    add_fitting(node->name, width, out);
    buf_text(out, "</text></g>\n");
}

static int compare_names(const void *a, const void *b)
{
    const struct stack_node *one = *(const struct stack_node *const *)a, *other = *(const struct stack_node *const *)b;
    int order = strcmp(one->name, other->name);
    return order ? order : (one->kind > other->kind) - (one->kind < other->kind);
}

/* What a function called, by name: so the same program has the same drawing. */
static void draw_children(const struct flame_drawing *drawing, const struct stack_node *node, double left, uint32_t row)
{
    size_t count = 0;
    for (const struct stack_node *child = node->child; child; child = child->next)
        count++;
    if (!count)
        return;
    const struct stack_node **children = MEM_ARRAY(const struct stack_node *, count);
    count = 0;
    for (const struct stack_node *child = node->child; child; child = child->next)
        children[count++] = child;
    qsort(children, count, sizeof(void *), compare_names);
    for (size_t i = 0; i < count; i++) {
        double share = (double)children[i]->total / drawing->all;
        if (share * WIDTH >= narrowest) {
            draw_node(drawing, children[i], left, row);
            draw_children(drawing, children[i], left, row + 1);
        }
        left += share;
    }
    free(children);
}

static void draw_head(uint32_t height, const char *title, struct buf *out)
{
    buf_format(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
        "height=\"%u\" viewBox=\"0 0 %d %u\">\n<style>\n"
        "svg { background: #fff; } text { font: 12px monospace; fill: #000; }\n"
        ".f { cursor: pointer; } .f text { pointer-events: none; } .f:hover rect, .f:focus rect { stroke: #000; }\n"
        ".found rect { fill: #cc79a7; stroke: #000; } .button { cursor: pointer; text-decoration: underline; }\n"
        "</style>\n<text x=\"4\" y=\"18\" style=\"font-size: 15px\">",
        WIDTH, (unsigned)height, WIDTH, (unsigned)height);
    markup_text(title, out);
    buf_format(out, "</text>\n<text id=\"whole\" class=\"button\" x=\"4\" y=\"38\">whole</text>\n"
                    "<text id=\"search\" class=\"button\" x=\"60\" y=\"38\">search</text>\n"
                    "<text id=\"found\" x=\"130\" y=\"38\"></text>\n");
}

static void draw_foot(uint32_t height, const char *note, struct buf *out)
{
    for (unsigned i = 0; i < FRAME_KINDS_COUNT; i++)
        buf_format(
            out, "<rect x=\"%u\" y=\"%u\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%u\" y=\"%u\">%s</text>\n",
            4 + i * 110, (unsigned)(height - 36), colours[i], 20 + i * 110, (unsigned)(height - 26), legend[i]);
    buf_format(out, "<text x=\"4\" y=\"%u\">", (unsigned)(height - 8));
    markup_text(note, out);
    buf_text(out, "</text>\n");
}

void svg_draw(const struct stacks *stacks, const char *title, const char *note, struct buf *out)
{
    struct flame_drawing drawing = {
        .all = stacks->root.total ? (double)stacks->root.total : 1, .depth = stacks_depth(stacks), .out = out};
    uint32_t height = HEAD + drawing.depth * ROW + FOOT + ROW;
    draw_head(height, title, out);
    draw_children(&drawing, &stacks->root, 0, 1);
    draw_foot(height, note, out);
    buf_text(out, script);
    buf_text(out, "</svg>\n");
}
