/* What tells marks apart in a terminal; see sign.h. */
#include "cli/plot/sign.h"

static const struct {
    enum tint tint;
    const char *sign;
} inks[] = {
#define INK(id, class, light, dark, tint, sign) {tint, sign},
#include "cli/plot/ink_list.h"
#undef INK
};

enum tint ink_tint(enum ink ink)
{
    return inks[ink].tint;
}

/* Whether two entries of the legend are of this kind, and, where there are colours, of one colour. */
static bool is_unclear(const struct picture *picture, enum mark_kind kind, bool colour)
{
    for (size_t i = 0; i < picture->legend_count; i++)
        for (size_t j = 0; j < i; j++) {
            const struct legend *one = &picture->legends[i], *other = &picture->legends[j];
            if (one->kind == kind && other->kind == kind && (!colour || ink_tint(one->ink) == ink_tint(other->ink)))
                return true;
        }
    return false;
}

struct signs signs_decide(const struct picture *picture, const struct look *look)
{
    return (struct signs){.lines = is_unclear(picture, MARK_LINE, look->colour) ||
                                   (!look->colour && picture->legend_count > 1),
                          .boxes = is_unclear(picture, MARK_BOX, look->colour)};
}

const char *signs_of(const struct signs *signs, enum mark_kind kind, enum ink ink, bool hollow)
{
    bool signed_kind = kind == MARK_DOT || (kind == MARK_LINE && signs->lines) || (kind == MARK_BOX && signs->boxes);
    if (kind == MARK_DOT && hollow)
        return "o";
    return signed_kind && *inks[ink].sign ? inks[ink].sign : NULL;
}

const char *signs_legend(const struct signs *signs, const struct legend *legend, const struct look *look)
{
    static const char *const plain[] = {[MARK_LINE] = "--", [MARK_DOT] = ":", [MARK_BOX] = "#", [MARK_TEXT] = ""};
    static const char *const fine[] = {[MARK_LINE] = "──", [MARK_DOT] = "⠢", [MARK_BOX] = "⣿", [MARK_TEXT] = ""};
    const char *sign = signs_of(signs, legend->kind, legend->ink, legend->hollow);
    return sign ? sign : (look->unicode ? fine : plain)[legend->kind];
}
