/* Directories of exports; see place.h. */
#include "cli/export/place.h"
#include "common/hash.h"
#include "common/path.h"
#include "common/units.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_PART = 200 };

static char *mark_of(const struct export *export)
{
    return path_join(export->path, PLACE_MARK);
}

static void add_id(const struct export *export, struct buf *out)
{
    buf_format(out, "%016" PRIx64 "\n", export->id);
}

static bool is_empty(const char *path)
{
    DIR *directory = opendir(path);
    bool empty = directory != NULL;
    struct dirent *entry;
    while (empty && (entry = readdir(directory)))
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (directory)
        closedir(directory);
    return empty;
}

bool place_may_replace(const struct export *export)
{
    enum { LONGEST = 1000 };
    struct buf found = {0}, wanted = {0};
    char *mark = mark_of(export);
    add_id(export, &wanted);
    bool ours = path_read(mark, &found, LONGEST, NULL) == 0 && strcmp(buf_str(&found), buf_str(&wanted)) == 0;
    buf_fini(&found);
    buf_fini(&wanted);
    free(mark);
    return path_is_directory(export->path) && (ours || is_empty(export->path));
}

int place_mark(const struct export *export, struct whole_directory *whole, struct err *err)
{
    struct buf text = {0};
    add_id(export, &text);
    int failed = whole_directory_write(whole, PLACE_MARK, &text, err);
    buf_fini(&text);
    return failed;
}

/* --- names --- */

static bool is_plain(char character, bool slash)
{
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') || strchr(slash ? "_-. /" : "_-. ", character);
}

/* Whether its parts are names of files: none is empty, too long, begins with a dot or a blank, or ends in one. */
static bool is_good(const char *name)
{
    while (true) {
        size_t length = strcspn(name, "/");
        if (!length || length > LONGEST_PART || strchr(". ", name[0]) || strchr(". ", name[length - 1]))
            return false;
        if (!name[length])
            return true;
        name += length + 1;
    }
}

void place_name(const char *name, bool slash, struct buf *out)
{
    enum { SHORTENED = 150 };
    bool good = is_good(name);
    for (const char *at = name; *at && good; at++)
        good = is_plain(*at, slash);
    if (good) {
        buf_text(out, name);
        return;
    }
    buf_text(out, "_");
    for (size_t i = 0; name[i] && i < SHORTENED; i++) {
        char character = is_plain(name[i], false) ? name[i] : '_';
        buf_add(out, &character, 1);
    }
    buf_format(out, "_%08" PRIx32, (uint32_t)(hash_text(name) ^ hash_text(name) >> 32));
}

double place_seconds(const json_t *time, double otherwise)
{
    double seconds = json_is_string(time) ? units_time(json_string_value(time)) : NAN;
    return isnan(seconds) ? otherwise : seconds;
}
