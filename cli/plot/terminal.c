/* Pictures with characters; see terminal.h. */
#include "cli/plot/terminal.h"

#include "cli/format.h"
#include "cli/plot/terminal_panel.h"

enum { USUAL_WIDTH = 100, LEAST_WIDTH = 30 };

/* Sentences are broken where a width is known: in a file each is a line. */
static void add_sentence(const char *text, const struct look *look, struct buf *out)
{
    struct buf safe = {0};
    unsigned width = look_columns(look, 0);
    if (!text)
        return;
    format_safe(text, &safe);
    format_wrap(buf_str(&safe), width && width < LEAST_WIDTH ? LEAST_WIDTH : width, out);
    buf_fini(&safe);
}

static void add_title(const struct picture *picture, const struct terminal_plot *plot, struct buf *out)
{
    struct buf safe = {0}, title = {0};
    format_safe(picture->title, &safe);
    format_cut(plot->look, buf_str(&safe), plot->width, &title);
    look_add(plot->look, TINT_STRONG, buf_str(&title), out);
    buf_text(out, "\n");
    buf_fini(&safe);
    buf_fini(&title);
}

/* Entries stand beside each other as far as there is room. */
static void add_legend(const struct terminal_plot *plot, struct buf *out)
{
    enum { BETWEEN = 3 };
    size_t used = 0;
    for (size_t i = 0; i < plot->picture->legend_count; i++) {
        const struct legend *legend = &plot->picture->legends[i];
        const char *sign = signs_legend(&plot->signs, legend, plot->look);
        struct buf safe = {0}, text = {0};
        size_t before = format_width(sign) + 1;
        format_safe(legend->text, &safe);
        format_cut(plot->look, buf_str(&safe), plot->width - before, &text);
        size_t width = before + format_width(buf_str(&text));
        bool fits = used && used + BETWEEN + width <= plot->width;
        buf_text(out, fits ? "   " : used ? "\n" : "");
        used = fits ? used + BETWEEN + width : width;
        look_add(plot->look, ink_tint(legend->ink), sign, out);
        buf_format(out, " %s", buf_str(&text));
        buf_fini(&safe);
        buf_fini(&text);
    }
    buf_text(out, used ? "\n" : "");
}

void terminal_picture(const struct picture *picture, const struct look *look, struct buf *out)
{
    size_t width = look_columns(look, USUAL_WIDTH);
    struct terminal_plot plot = {.picture = picture,
                                 .look = look,
                                 .signs = signs_decide(picture, look),
                                 .width = width < LEAST_WIDTH ? LEAST_WIDTH : width};
    add_title(picture, &plot, out);
    terminal_panels(&plot, out);
    add_legend(&plot, out);
    add_sentence(picture->sentence, look, out);
    add_sentence(picture->note, look, out);
}
