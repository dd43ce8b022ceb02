/* Where a program's files go; see own_files.h. Only the name of an option tells whether it is written there, so one is
 * changed only if each word of its name goes with that, and its value is a path. */
#include "cli/start/own_files.h"
#include "cli/json.h"
#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TRIAL_DIR "${trial.dir}"

enum { LONGEST_WORD = 32 };

void own_files_fini(struct own_files *files)
{
    texts_fini(&files->words);
    texts_fini(&files->places);
    texts_fini(&files->said);
    *files = (struct own_files){0};
}

/* --- names --- */

/* What the words of a name mean. */
enum meaning {
    OTHER,  /* nothing that is known, or that the file is read */
    WRITES, /* it is written */
    KEEPS,  /* a checkpoint, which may also be what the program begins with */
    PLACE,  /* a directory or a file */
    FOLDER, /* a directory */
    THING   /* what is written there */
};

static const struct {
    const char *words; /* separated by spaces */
    enum meaning meaning;
} meanings[] = {
    {"out output outputs outfile outdir outpath save savedir savepath savefile results result logdir logfile", WRITES},
    {"checkpoint checkpoints ckpt ckpts", KEEPS},
    {"dir directory folder", FOLDER},
    {"path file filename root", PLACE},
    {"model models weights metrics predictions best final log logs to as", THING},
};

static enum meaning meaning_of(const char *word)
{
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (texts_lists(meanings[i].words, ' ', word, strlen(word)))
            return meanings[i].meaning;
    return OTHER;
}

/* The next word of a name, in small letters: "--out-dir", "out_dir" and "outDir" have two. False: there is none. */
static bool next_word(const char **at, char word[LONGEST_WORD])
{
    size_t length = 0;
    *at += strspn(*at, "-_.");
    for (const char *first = *at; **at && !strchr("-_.", **at); ++*at) {
        bool begins = *at > first && isupper((unsigned char)**at) && islower((unsigned char)(*at)[-1]);
        if (begins)
            break;
        if (length + 1 < LONGEST_WORD)
            word[length++] = (char)tolower((unsigned char)**at);
    }
    word[length] = '\0';
    return length > 0;
}

/* Whether the program writes a file there: WRITES, KEEPS, or OTHER. *is_place, *is_folder: the name says what it is. */
static enum meaning read_name(const char *name, bool *is_place, bool *is_folder)
{
    char word[LONGEST_WORD];
    bool writes = false, keeps = false, logs = false;
    *is_place = *is_folder = false;
    if (strcmp(name, "-o") == 0)
        return WRITES;
    while (next_word(&name, word)) {
        enum meaning meaning = meaning_of(word);
        if (meaning == OTHER)
            return OTHER;
        writes |= meaning == WRITES;
        keeps |= meaning == KEEPS;
        logs |= strncmp(word, "log", 3) == 0;
        *is_folder |= meaning == FOLDER || strstr(word, "dir");
        *is_place |= meaning == PLACE || *is_folder;
    }
    return writes || (logs && *is_place) ? WRITES : keeps ? KEEPS : OTHER;
}

/* --- values --- */

/* "model.pt", and no number: what stands behind the last dot begins with a letter. */
static bool has_ending(const char *value)
{
    const char *dot = strrchr(path_base(value), '.');
    return dot && dot > path_base(value) && isalpha((unsigned char)dot[1]);
}

/* Whether it names a file or directory, and no device, number, URL, or something that a shell or gannet puts in. */
static bool is_path(const char *value, bool is_place)
{
    bool never = !*value || strpbrk(value, "$~{}*\n") || strstr(value, "://") || strncmp(value, "/dev/", 5) == 0 ||
                 strncmp(value, "/proc/", 6) == 0 || *value == '-';
    return !never && (is_place || strchr(value, '/') || has_ending(value) || path_exists(value));
}

/* Whether the trial's directory has a file of that name, by another option or from gannet. */
static bool is_taken(const struct own_files *files, const char *place)
{
    if (strcmp(place, TRIAL_DIR) == 0)
        return false; /* it has room for everybody */
    static const char *const ours[] = {TRIAL_DIR "/stdout", TRIAL_DIR "/stderr", TRIAL_DIR "/params.json",
                                       TRIAL_DIR "/checkpoint"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strcmp(place, ours[i]) == 0)
            return true;
    for (size_t i = 0; i < files->places.count; i++)
        if (strcmp(place, files->places.items[i]) == 0)
            return true;
    return false;
}

/* The last part of a path in the trial's directory; free() it. NULL: it has no such part. A directory that is there is
 * one that the program may not make, so that it is the trial's own. */
static char *make_place(const char *value)
{
    if (path_is_directory(value))
        return mem_text(TRIAL_DIR);
    size_t length = strlen(value);
    while (length > 1 && value[length - 1] == '/')
        length--;
    char *text = mem_text_n(value, length), *place = NULL;
    const char *base = path_base(text);
    if (*base && strcmp(base, "/") != 0 && strcmp(base, "..") != 0)
        place = mem_format(TRIAL_DIR "/%s", base);
    free(text);
    return place;
}

/* The place of each trial's own; NULL: it is not known that the program writes it. */
static const char *find_place(struct own_files *files, const char *name, const char *value)
{
    bool is_place, is_folder;
    enum meaning meaning = read_name(name, &is_place, &is_folder);
    bool surely = meaning == WRITES || (meaning == KEEPS && !path_exists(value) && (is_folder || has_ending(value)));
    char *place = surely && is_path(value, is_place) ? make_place(value) : NULL;
    if (!place || is_taken(files, place)) {
        free(place);
        return NULL;
    }
    texts_add(&files->places, place);
    texts_add(&files->said, mem_format("%s %s", name, value));
    return place;
}

/* --- words --- */

/* A "${" of the person's own is no placeholder. */
static void add_literal(struct own_files *files, const char *word)
{
    struct buf text = {0};
    for (; *word; word++)
        buf_format(&text, strncmp(word, "${", 2) == 0 ? "$%c" : "%c", *word);
    texts_add(&files->words, buf_take(&text));
}

/* A word as "--out=model.pt". */
static bool add_joined(struct own_files *files, const char *word)
{
    const char *sign = strchr(word, '=');
    char *name = mem_text_n(word, sign ? (size_t)(sign - word) : 0);
    const char *place = *name == '-' ? find_place(files, name, sign + 1) : NULL;
    if (place)
        texts_add(&files->words, mem_format("%s=%s", name, place));
    free(name);
    return place;
}

void own_files_add(struct own_files *files, const struct texts *words)
{
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->items[i], *before = i ? words->items[i - 1] : "";
        const char *place = *before == '-' && !strchr(before, '=') ? find_place(files, before, word) : NULL;
        if (place)
            texts_add(&files->words, mem_text(place));
        else if (!add_joined(files, word))
            add_literal(files, word);
    }
}

/* --- defaults --- */

static bool is_given(const struct texts *words, const char *spelling)
{
    size_t length = strlen(spelling);
    for (size_t i = 0; i < words->count; i++)
        if (strncmp(words->items[i], spelling, length) == 0 &&
            (words->items[i][length] == '=' || !words->items[i][length]))
            return true;
    return false;
}

/* Whether it is an option with one value, which nothing else is made of. */
static bool takes_text(const json_t *option)
{
    const char *type = json_text(option, "type");
    bool may = !*type || strcmp(type, "text") == 0 || strcmp(type, "path") == 0;
    return may && strncmp(json_text(option, "spelling"), "--", 2) == 0 &&
           !json_is_true(json_object_get(option, "many")) && !json_object_get(option, "choices") &&
           !json_object_get(option, "keys");
}

void own_files_add_defaults(struct own_files *files, const struct texts *words, const json_t *options)
{
    size_t index;
    const json_t *option;
    json_array_foreach((json_t *)options, index, option)
    {
        const char *spelling = json_text(option, "spelling"), *value = json_text(option, "default");
        bool open =
            takes_text(option) && !json_is_true(json_object_get(option, "required")) && !is_given(words, spelling);
        const char *place = open ? find_place(files, spelling, value) : NULL;
        if (place)
            texts_add(&files->words, mem_format("%s=%s", spelling, place));
    }
}
