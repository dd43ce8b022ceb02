/* Names of kernels; see short_name.h. The names of C++ are those of the Itanium ABI (section 5.1): _Z, then one name as
 * its length and its letters, or several between N and E, with template arguments from an I on. */
#include "worker/cupti/short_name.h"

#include <stdbool.h>
#include <string.h>

enum { READ_MOST = 4096 }; /* of a name that is longer the rest is not looked at */

struct name_piece {
    const char *at;
    size_t length;
};

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

/* A length with as many letters behind it; false: there is none. */
static bool take_piece(const char **at, const char *end, struct name_piece *out)
{
    size_t length = 0;
    const char *from = *at;
    while (from < end && is_digit(*from) && length < READ_MOST)
        length = length * 10 + (size_t)(*from++ - '0');
    if (from == *at || !length || length > (size_t)(end - from))
        return false;
    *out = (struct name_piece){from, length};
    *at = from + length;
    return true;
}

/* The last of the names before template arguments and parameters. */
static bool find_last(const char *at, const char *end, struct name_piece *out)
{
    bool found = false, is_nested = at < end && *at == 'N';
    at += is_nested;
    while (at < end && strchr("rVKL", *at)) /* const, volatile, internal linkage */
        at++;
    while (at < end && is_digit(*at) && take_piece(&at, end, out)) {
        found = true;
        if (!is_nested)
            break;
        at += at < end && *at == 'L';
    }
    return found;
}

static bool is_plain(char letter)
{
    return letter > ' ' && letter < 127 && letter != '"' && letter != '\\';
}

/* As much of both ends as fits. */
static void copy_name(const struct name_piece *name, char *out)
{
    static const char gap[] = "..";
    enum { HEAD = 40, GAP = sizeof gap - 1, TAIL = SHORT_NAME_LONGEST - HEAD - GAP };
    size_t length = name->length;
    if (length <= SHORT_NAME_LONGEST) {
        memcpy(out, name->at, length);
    } else {
        memcpy(out, name->at, HEAD);
        memcpy(out + HEAD, gap, GAP);
        memcpy(out + HEAD + GAP, name->at + length - TAIL, TAIL);
        length = SHORT_NAME_LONGEST;
    }
    out[length] = '\0';
    for (size_t i = 0; i < length; i++)
        if (!is_plain(out[i]))
            out[i] = '?';
}

void short_name(const char *name, char *out)
{
    struct name_piece piece;
    if (!name || !*name) {
        strcpy(out, "unnamed kernel");
        return;
    }
    size_t length = strnlen(name, READ_MOST);
    if (length < 3 || strncmp(name, "_Z", 2) != 0 || !find_last(name + 2, name + length, &piece))
        piece = (struct name_piece){name, length};
    copy_name(&piece, out);
}
