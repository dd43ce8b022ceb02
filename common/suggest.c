/* Suggestions for mistyped names; see suggest.h. */
#include "common/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { LONGEST = 64 };

/* Spelled as compared: lower case, '-' as '_'. */
static char folded_character(char c)
{
    return c == '-' ? '_' : (char)tolower((unsigned char)c);
}

static size_t least_of_three(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;
    return m < c ? m : c;
}

size_t suggest_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST)
        return n > m ? n : m;
    size_t row[3][LONGEST + 1]; /* row i % 3: edits from the first i characters of a to the first j of b */
    for (size_t j = 0; j <= m; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = row[i % 3], *above = row[(i - 1) % 3], *two_above = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            bool same = folded_character(a[i - 1]) == folded_character(b[j - 1]);
            now[j] = least_of_three(above[j] + 1, now[j - 1] + 1, above[j - 1] + !same);
            bool swapped = i > 1 && j > 1 && folded_character(a[i - 1]) == folded_character(b[j - 2]) &&
                           folded_character(a[i - 2]) == folded_character(b[j - 1]);
            if (swapped && two_above[j - 2] + 1 < now[j])
                now[j] = two_above[j - 2] + 1;
        }
    }
    return row[n % 3][m];
}

const char *suggest_nearest(const char *name, const char *const *names, size_t count)
{
    size_t limit = strlen(name) / 3 > 1 ? strlen(name) / 3 : 1;
    const char *best = NULL;
    size_t best_distance = limit + 1;
    bool tie = false;
    for (size_t i = 0; i < count; i++) {
        size_t distance = suggest_distance(name, names[i]);
        if (distance < best_distance) {
            best = names[i];
            best_distance = distance;
            tie = false;
        } else if (distance == best_distance && best) {
            tie = true;
        }
    }
    return tie ? NULL : best;
}

void suggest_list(struct buf *out, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buf_format(out, i ? ", %s" : "%s", names[i]);
}
