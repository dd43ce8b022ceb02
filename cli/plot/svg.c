/* Drawing SVG; see svg.h. */
#include "cli/plot/svg.h"
#include "cli/plot/layout.h"
#include "common/markup.h"
#include "common/path.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Marks of one look that follow each other share a group. */
struct svg {
    struct buf *out;
    struct brush group; /* of the open group */
    bool open;
};

/* A place: a tenth of a pixel is seen by nobody. */
static void add_number(double number, struct buf *out)
{
    char text[32];
    snprintf(text, sizeof text, "%.1f", fabs(number) < 0.05 ? 0.0 : number);
    size_t length = strlen(text);
    if (length > 2 && text[length - 1] == '0')
        text[length - 2] = '\0';
    buf_text(out, text);
}

static void add_attribute(const char *name, double number, struct buf *out)
{
    buf_format(out, " %s=\"", name);
    add_number(number, out);
    buf_text(out, "\"");
}

static void close_group(struct svg *svg)
{
    if (svg->open)
        buf_text(svg->out, "</g>\n");
    svg->open = false;
}

static bool is_same_group(const struct brush *a, const struct brush *b)
{
    return a->ink == b->ink && a->width == b->width && a->opacity == b->opacity && a->dashed == b->dashed &&
           a->filled == b->filled;
}

/* Opens a group for marks of this look; class "aS" has strokes of ink a, "aF" is filled with it. */
static void open_group(struct svg *svg, const struct brush *brush, bool stroke)
{
    struct brush wanted = *brush;
    wanted.filled = !stroke;
    wanted.width = stroke ? brush->width : 0;
    if (svg->open && is_same_group(&svg->group, &wanted))
        return;
    close_group(svg);
    buf_format(svg->out, "<g class=\"%s%s\"", ink_class(brush->ink), stroke ? "S" : "F");
    if (stroke && brush->width != 1)
        add_attribute("stroke-width", brush->width, svg->out);
    if (brush->opacity < 1)
        buf_format(svg->out, " opacity=\"%.2g\"", brush->opacity);
    if (brush->dashed)
        buf_text(svg->out, " stroke-dasharray=\"4 3\"");
    buf_text(svg->out, ">\n");
    svg->group = wanted;
    svg->open = true;
}

/* The end of a mark's tag: the trial, and what is said of it. */
static void finish_mark(struct svg *svg, const struct brush *brush, const char *tag)
{
    if (brush->trial)
        buf_format(svg->out, " data-t=\"%" PRIu64 "\"", brush->trial);
    if (!brush->says) {
        buf_text(svg->out, "/>\n");
        return;
    }
    buf_text(svg->out, "><title>");
    markup_text(brush->says, svg->out);
    buf_format(svg->out, "</title></%s>\n", tag);
}

static void add_line(void *context, const struct brush *brush, const struct point *points, size_t count)
{
    struct svg *svg = context;
    open_group(svg, brush, true);
    buf_text(svg->out, "<path d=\"");
    for (size_t i = 0; i < count; i++) {
        buf_text(svg->out, i == 0 ? "M" : i == 1 ? "L" : " ");
        add_number(points[i].x, svg->out);
        buf_text(svg->out, " ");
        add_number(points[i].y, svg->out);
    }
    buf_text(svg->out, "\"");
    finish_mark(svg, brush, "path");
}

static void add_box(void *context, const struct brush *brush, double x, double y, double width, double height)
{
    struct svg *svg = context;
    open_group(svg, brush, !brush->filled);
    buf_text(svg->out, "<rect");
    add_attribute("x", x, svg->out);
    add_attribute("y", y, svg->out);
    add_attribute("width", width, svg->out);
    add_attribute("height", height, svg->out);
    finish_mark(svg, brush, "rect");
}

static void add_dot(void *context, const struct brush *brush, double x, double y, double radius)
{
    struct svg *svg = context;
    open_group(svg, brush, !brush->filled);
    buf_text(svg->out, "<circle");
    add_attribute("cx", x, svg->out);
    add_attribute("cy", y, svg->out);
    add_attribute("r", radius, svg->out);
    finish_mark(svg, brush, "circle");
}

static void add_text(void *context, enum ink ink, enum letters letters, enum text_anchor anchor, bool turned, double x,
                     double y, const char *text)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    struct svg *svg = context;
    close_group(svg);
    buf_format(svg->out, "<text class=\"%sF%s\"%s", ink_class(ink),
               letters == LETTERS_STRONG ? " strong"
               : letters == LETTERS_OVER ? " over"
                                         : "",
               anchors[anchor]);
    add_attribute("x", x, svg->out);
    add_attribute("y", y, svg->out);
    if (turned) {
        buf_text(svg->out, " transform=\"rotate(-90 ");
        add_number(x, svg->out);
        buf_text(svg->out, " ");
        add_number(y, svg->out);
        buf_text(svg->out, ")\"");
    }
    buf_text(svg->out, ">");
    markup_text(text, svg->out);
    buf_text(svg->out, "</text>\n");
}

/* --- files and elements --- */

static void add_content(const struct picture *picture, struct buf *out)
{
    struct svg svg = {.out = out};
    struct plot_canvas canvas = {.context = &svg, .line = add_line, .box = add_box, .dot = add_dot, .text = add_text};
    buf_text(out, "<title>");
    markup_text(picture->title ? picture->title : "", out);
    buf_text(out, "</title>\n<desc>");
    markup_text(picture->sentence ? picture->sentence : "", out);
    if (picture->note) {
        buf_text(out, " ");
        markup_text(picture->note, out);
    }
    buf_text(out, "</desc>\n");
    layout_draw(picture, &canvas);
    close_group(&svg);
}

void svg_picture_element(const struct picture *picture, const char *id, struct buf *out)
{
    buf_format(out, "<svg id=\"%s\" role=\"img\" viewBox=\"0 0 %d %.0f\">\n", id, PICTURE_WIDTH,
               ceil(layout_height(picture)));
    add_content(picture, out);
    buf_text(out, "</svg>\n");
}

void svg_picture_colours(bool dark, struct buf *out)
{
    for (enum ink ink = 0; ink < INKS_COUNT; ink++)
        buf_format(out, "--%s:#%06" PRIx32 ";", ink_class(ink), ink_colour(ink, dark));
}

void svg_picture_style(struct buf *out)
{
    for (enum ink ink = 0; ink < INKS_COUNT; ink++) {
        const char *class = ink_class(ink);
        buf_format(out, ".%sS{stroke:var(--%s);fill:none}.%sF{fill:var(--%s);stroke:none}\n", class, class, class,
                   class);
    }
}

/* Programs for drawing know no variables. */
static void add_fixed_style(struct buf *out)
{
    buf_text(out, "<style>text{font:11px system-ui,sans-serif}.strong{font-weight:600;font-size:12px}"
                  "path{stroke-linejoin:round;stroke-linecap:round}\n");
    for (enum ink ink = 0; ink < INKS_COUNT; ink++)
        buf_format(out, ".%sS{stroke:#%06" PRIx32 ";fill:none}.%sF{fill:#%06" PRIx32 ";stroke:none}\n", ink_class(ink),
                   ink_colour(ink, false), ink_class(ink), ink_colour(ink, false));
    buf_text(out, ".over{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}\n</style>\n");
}

enum { EDGE = 16, HEADING = 30 };

void svg_picture_file(const struct picture *picture, struct buf *out)
{
    double height = ceil(layout_height(picture)) + HEADING + 2 * EDGE;
    buf_format(out,
               SVG_PICTURE_BEGIN "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
                                 "height=\"%.0f\" viewBox=\"%d %d %d %.0f\" role=\"img\">\n",
               PICTURE_WIDTH + 2 * EDGE, height, -EDGE, -EDGE - HEADING, PICTURE_WIDTH + 2 * EDGE, height);
    add_fixed_style(out);
    buf_format(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%.0f\" fill=\"#fff\"/>\n", -EDGE, -EDGE - HEADING,
               PICTURE_WIDTH + 2 * EDGE, height);
    buf_format(out, "<text class=\"tF strong\" x=\"0\" y=\"%d\">", 14 - HEADING);
    char *title = layout_cut(picture->title ? picture->title : "", PICTURE_WIDTH / STRONG_LETTER);
    markup_text(title, out);
    free(title);
    buf_text(out, "</text>\n");
    add_content(picture, out);
    buf_text(out, "</svg>\n");
}

static const char program[] = "rsvg-convert";

/* Runs it from one descriptor to the other. -1 with a sentence. */
static int run_program(int from, int to, struct err *err)
{
    char *argv[] = {(char *)program, "--format=png", "--zoom=3", "--background-color=white", NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    int failed = posix_spawnp(&pid, program, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    errno = failed;
    if (failed == ENOENT)
        return err_set(err,
                       "PNG needs the program %s, which is not here (Debian and Ubuntu: librsvg2-bin, Rocky: "
                       "librsvg2-tools); FILE.svg needs nothing",
                       program);
    if (failed)
        return err_errno(err, "can't start %s", program);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return err_errno(err, "can't wait for %s", program);
    return status ? err_set(err, "%s has failed; FILE.svg needs nothing", program) : 0;
}

static int read_whole(int from, struct buf *out, struct err *err)
{
    char bytes[65536];
    ssize_t got = -1;
    buf_clear(out);
    if (lseek(from, 0, SEEK_SET) == 0)
        while ((got = read(from, bytes, sizeof bytes)) > 0)
            buf_add(out, bytes, (size_t)got);
    if (got < 0)
        return err_errno(err, "can't read what %s wrote", program);
    return out->length ? 0 : err_set(err, "%s wrote nothing; FILE.svg needs nothing", program);
}

/* --- whose it is --- */

/* The checksum of PNG: CRC-32 of ISO 3309, the lowest bit first. */
static uint32_t checksum(const char *bytes, size_t length)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < length; i++) {
        crc ^= (unsigned char)bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

static void add_uint32(uint32_t number, struct buf *out)
{
    char bytes[4];
    for (int i = 0; i < 4; i++)
        bytes[i] = (char)(number >> (24 - 8 * i) & 0xff);
    buf_add(out, bytes, sizeof bytes);
}

/* Adds a text chunk with the program's name behind the head, which comes first (PNG, third edition, 11.3.3). */
static void name_writer(struct buf *png)
{
    enum { HEAD = 8 + 12 + 13 }; /* bytes: the signature, and the chunk that has 13 of its own */
    static const char chunk[] = "tEXtSoftware\0gannet";
    struct buf named = {0};
    if (png->length < HEAD || memcmp(png->data + 12, "IHDR", 4) != 0)
        return;
    buf_add(&named, png->data, HEAD);
    add_uint32(sizeof chunk - 1 - 4, &named);
    buf_add(&named, chunk, sizeof chunk - 1);
    add_uint32(checksum(chunk, sizeof chunk - 1), &named);
    buf_add(&named, png->data + HEAD, png->length - HEAD);
    buf_fini(png);
    *png = named;
}

int svg_to_png(const struct buf *svg, struct buf *out, struct err *err)
{
    int from = memfd_create("picture.svg", MFD_CLOEXEC), to = memfd_create("picture.png", MFD_CLOEXEC), failed = -1;
    if (from < 0 || to < 0 || path_write_all(from, svg->data, svg->length) || lseek(from, 0, SEEK_SET) < 0)
        (void)err_errno(err, "can't hand the picture to %s", program);
    else
        failed = run_program(from, to, err) || read_whole(to, out, err) ? -1 : 0;
    if (!failed)
        name_writer(out);
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
    return failed;
}
