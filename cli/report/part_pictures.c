/* The pictures of the page; see part.h and page_list.h. */
#include "cli/report/part.h"

#include "cli/plot/svg.h"
#include "common/markup.h"

#include <stdio.h>
#include <string.h>

static const struct picture_page {
    const struct plot_kind *kind;
    const char *heading;
} pages[] = {
#define PAGE(name, heading) {&plot_##name, heading},
#include "cli/report/page_list.h"
#undef PAGE
};
enum { PAGES = sizeof pages / sizeof *pages };

static void add_caption(const struct picture *picture, struct buf *out)
{
    buf_text(out, "<figcaption>");
    markup_text(picture->sentence, out);
    if (picture->note) {
        buf_text(out, " <span class=\"quiet\">");
        markup_text(picture->note, out);
        buf_text(out, "</span>");
    }
    buf_text(out, "</figcaption>\n");
}

/* One picture: its figure, when there is something to be drawn. `id`: of the drawing; `class`: of the figure, may be
 * NULL. False, and nothing added, otherwise. */
static bool part_figure(const struct plot_kind *kind, const struct plot_question *question, const char *id,
                        const char *class, struct buf *out)
{
    struct picture picture;
    struct err err;
    picture_init(&picture);
    bool drawn = kind->draw(question, &picture, &err) == 0;
    if (drawn) {
        buf_format(out, class ? "<figure class=\"%s\">\n" : "<figure>\n", class);
        add_caption(&picture, out);
        svg_picture_element(&picture, id, out);
        buf_text(out, "</figure>\n");
    }
    picture_fini(&picture);
    return drawn;
}

/* Of the history one picture for each axis; radio buttons choose, by style alone. */
static bool add_choice(const struct report *report, struct buf *out)
{
    static const char *const words[] = {"Trials", "Time", "Core-hours"};
    bool drawn = true;
    for (unsigned i = 0; i < PROGRESS_AXES_COUNT; i++)
        buf_format(out, "<input type=\"radio\" name=\"along\" id=\"along-%u\"%s><label for=\"along-%u\">%s</label>\n",
                   i, i == 0 ? " checked" : "", i, words[i]);
    for (unsigned i = 0; i < PROGRESS_AXES_COUNT && drawn; i++) {
        struct plot_question question = {report->subjects, report->count, (enum progress_axis)i};
        char id[40], class[40];
        snprintf(id, sizeof id, "plot-history-%u", i);
        snprintf(class, sizeof class, "along-%u", i);
        drawn = part_figure(&plot_history, &question, id, class, out);
    }
    return drawn;
}

static bool add_pictures(const struct report *report, const struct plot_kind *kind, struct buf *out)
{
    struct plot_question question = {report->subjects, report->count, PROGRESS_TRIALS};
    char id[40];
    if (kind == &plot_history) {
        buf_text(out, "<div class=\"choice\">\n");
        bool drawn = add_choice(report, out);
        buf_text(out, "</div>\n");
        return drawn;
    }
    if (kind == &plot_parallel)
        buf_text(out, "<div class=\"tools script small quiet\">Draw a range on an axis to choose trials, here and "
                      "everywhere. <span id=\"chosen\"></span> <button type=\"button\" class=\"plain\" id=\"unchoose\" "
                      "hidden>Choose all</button></div>\n");
    snprintf(id, sizeof id, "plot-%s", kind->name);
    return part_figure(kind, &question, id, NULL, out);
}

/* A section; nothing when there is nothing to be drawn. */
static bool add_section(const struct report *report, const struct picture_page *page, struct buf *out)
{
    struct buf content = {0};
    bool drawn = add_pictures(report, page->kind, &content);
    if (drawn) {
        buf_format(out, "<section id=\"%s\">\n<h2>%s</h2>\n", page->kind->name, page->heading);
        buf_add(out, content.data, content.length);
        if (page->kind == &plot_failures)
            part_failures(report, out);
        buf_text(out, "</section>\n");
    }
    buf_fini(&content);
    return drawn;
}

void part_pictures(const struct report *report, struct buf *links, struct buf *out)
{
    for (size_t i = 0; i < PAGES; i++) {
        bool drawn = (report->count == 1 || pages[i].kind->compares) && add_section(report, &pages[i], out);
        if (drawn && links)
            buf_format(links, "<a href=\"#%s\">%s</a>\n", pages[i].kind->name, pages[i].heading);
    }
}
