/* The page as a whole; see report.h. */
#include "cli/report/report.h"
#include "cli/plot/svg.h"
#include "cli/report/part.h"
#include "common/markup.h"

#include <sodium.h>
#include <string.h>

/* The assembler reads the files; the Makefile says that this one depends on them. */
#define ASSET(name, path)                                                                                              \
    __asm__(".section .rodata\n"                                                                                       \
            ".global " #name "\n"                                                                                      \
            ".type " #name ", %object\n"                                                                               \
            ".balign 16\n" #name ":\n"                                                                                 \
            ".incbin \"" path "\"\n"                                                                                   \
            ".byte 0\n"                                                                                                \
            ".size " #name ", . - " #name "\n"                                                                         \
            ".previous\n")

ASSET(asset_style, "cli/report/style.css");
ASSET(asset_script, "cli/report/script.js");

unsigned report_needs(size_t count)
{
    unsigned needs = count == 1 ? PLOT_FAILURES : 0;
    for (size_t i = 0; plot_kinds[i]; i++)
        if (count == 1 || plot_kinds[i]->compares)
            needs |= plot_kinds[i]->needs;
    return needs;
}

/* The colours of pictures for both kinds of pages, and the file. */
static void make_style(struct buf *out)
{
    buf_text(out, ":root{");
    svg_picture_colours(false, out);
    buf_text(out, "}\n@media (prefers-color-scheme:dark){:root:not([data-theme=light]){");
    svg_picture_colours(true, out);
    buf_text(out, "}}\n:root[data-theme=dark]{");
    svg_picture_colours(true, out);
    buf_text(out, "}\n");
    svg_picture_style(out);
    buf_text(out, asset_style);
    /* Paper is light. */
    buf_text(out, "@media print{:root,:root:not([data-theme=light]),:root[data-theme=dark]{");
    svg_picture_colours(false, out);
    buf_text(out, "--page:#fff;--card:#f6f8fa;--edge:#d9dee4;--link:#0b5cad}}\n");
}

static void add_head(const struct report *report, const char *style, struct buf *out)
{
    buf_text(out, REPORT_BEGIN GANNET_VERSION
             "\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; "
             "form-action 'none'; style-src ");
    policy_hash(style, out);
    buf_text(out, "; script-src ");
    policy_hash(asset_script, out);
    buf_text(out, "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
    markup_text(report->count > 1 ? "Comparison of searches" : report->subjects[0].data.name, out);
    buf_text(out, " - gannet</title>\n<style>");
    buf_text(out, style);
    buf_text(out, "</style>\n</head>\n");
}

/* To the pictures that there are, and to what every page of one experiment has. */
static void add_links(const struct buf *pictures, struct buf *out)
{
    buf_text(out, "<nav>\n");
    buf_add(out, pictures->data, pictures->length);
    buf_text(out, "<a href=\"#trials\">Trials</a>\n<a href=\"#again\">Do it again</a>\n</nav>\n");
}

static void add_body(const struct report *report, struct buf *out)
{
    buf_text(out, "<body>\n<main>\n");
    part_headline(report, out);
    if (report->count > 1)
        part_comparison(report, out);
    else {
        struct buf links = {0}, pictures = {0};
        part_pictures(report, &links, &pictures);
        add_links(&links, out);
        part_best(report, out);
        buf_add(out, pictures.data, pictures.length);
        part_table(report, out);
        part_again(report, out);
        buf_fini(&links);
        buf_fini(&pictures);
    }
    buf_text(out, "<footer class=\"quiet small\">Written by gannet " GANNET_VERSION ".</footer>\n</main>\n"
                  "<div id=\"tip\" hidden></div>\n");
    if (report->count == 1) {
        part_table_data(report, out);
        buf_text(out, "<script>");
        buf_text(out, asset_script);
        buf_text(out, "</script>\n");
    }
    buf_text(out, "</body>\n</html>\n");
}

void report_write(const struct report *report, struct buf *out)
{
    struct buf style = {0};
    make_style(&style);
    add_head(report, buf_str(&style), out);
    add_body(report, out);
    buf_fini(&style);
}

void policy_hash(const char *text, struct buf *out)
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    char shown[sodium_base64_ENCODED_LEN(sizeof hash, sodium_base64_VARIANT_ORIGINAL)];
    crypto_hash_sha256(hash, (const unsigned char *)text, strlen(text));
    sodium_bin2base64(shown, sizeof shown, hash, sizeof hash, sodium_base64_VARIANT_ORIGINAL);
    buf_format(out, "'sha256-%s'", shown);
}
