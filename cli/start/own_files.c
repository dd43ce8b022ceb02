/* Where a program's files go; see own_files.h. Only the name of an option tells whether it is written there, so one is
 * changed only if each word of its name goes with that, its value is a path, and it is no switch in front of something
 * else. What lies there already may be what the program reads: it is changed only if the name says that it is output,
 * and the help does not say that it is read; and either is said. */
#include "cli/start/own_files.h"
#include "cli/json.h"
#include "cli/start/given_words.h"
#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define TRIAL_DIR "${trial.dir}"

enum { LONGEST_WORD = 32 };

void own_files_fini(struct own_files *files)
{
    texts_fini(&files->words);
    texts_fini(&files->places);
    texts_fini(&files->said);
    texts_fini(&files->filled);
    texts_fini(&files->kept);
    *files = (struct own_files){0};
}

/* --- names --- */

/* What the words of a name mean. */
enum meaning {
    OTHER,  /* nothing that is known, or that the file is read */
    PUTS,   /* it is output and nothing else */
    WRITES, /* it is written, unless it is there: results and logs may also be what is read */
    KEEPS,  /* a checkpoint, which may also be what the program begins with */
    PLACE,  /* a directory or a file */
    FOLDER, /* a directory */
    THING   /* what is written there */
};

static const struct {
    const char *words; /* separated by spaces */
    enum meaning meaning;
} meanings[] = {
    {"out output outputs outfile outdir outpath save savedir savepath savefile logdir", PUTS},
    {"results result logfile", WRITES},
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

/* Whether the program writes a file there: PUTS, WRITES, KEEPS, or OTHER. *is_place, *is_folder: the name says what it
 * is. */
static enum meaning read_name(const char *name, bool *is_place, bool *is_folder)
{
    char word[LONGEST_WORD];
    bool puts = false, writes = false, keeps = false, logs = false;
    *is_place = *is_folder = false;
    if (strcmp(name, "-o") == 0)
        return PUTS;
    while (next_word(&name, word)) {
        enum meaning meaning = meaning_of(word);
        if (meaning == OTHER)
            return OTHER;
        puts |= meaning == PUTS;
        writes |= meaning == WRITES;
        keeps |= meaning == KEEPS;
        logs |= strncmp(word, "log", 3) == 0;
        *is_folder |= meaning == FOLDER || strstr(word, "dir");
        *is_place |= meaning == PLACE || *is_folder;
    }
    if (puts || (logs && *is_folder))
        return PUTS;
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

/* --- options --- */

static bool is_switch(const json_t *option)
{
    return option && strcmp(json_text(option, "type"), "flag") == 0;
}

/* Whether the help says that the file is read. */
static bool is_read(const json_t *option)
{
    static const char *const words[] = {"read", "load", "input", "resume", "existing", "analy"};
    const char *help = option ? json_text(option, "help") : "";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(help, words[i]))
            return true;
    return false;
}

/* Whether there is a file with something in it, or a directory with a file. */
static bool has_content(const char *path)
{
    struct stat state;
    if (stat(path, &state))
        return false;
    if (!S_ISDIR(state.st_mode))
        return state.st_size > 0;
    struct dirent *entry = NULL;
    DIR *folder = opendir(path);
    while (folder && (entry = readdir(folder)) && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")))
        ;
    if (folder)
        closedir(folder);
    return entry;
}

/* --- places --- */

/* An option with its value, as a person gave them or by default. */
struct given_file {
    const char *name, *value;
    const json_t *option; /* what the help says; NULL: nothing */
    bool may_be_apart;    /* the value is a word of its own, which may be no value of the option's */
};

/* Takes the place for a trial's own; the place that was taken, or NULL. */
static const char *take_place(struct own_files *files, const struct given_file *given)
{
    char *place = make_place(given->value);
    if (!place || is_taken(files, place)) {
        free(place);
        return NULL;
    }
    texts_add(&files->places, place);
    texts_add(&files->said, mem_format("%s %s", given->name, given->value));
    if (has_content(given->value))
        texts_add(&files->filled, mem_format("%s %s", given->name, given->value));
    return place;
}

/* The place of each trial's own; NULL: it is not known that the program writes it. */
static const char *find_place(struct own_files *files, const struct given_file *given)
{
    bool is_place, is_folder;
    enum meaning meaning = read_name(given->name, &is_place, &is_folder);
    if (meaning == OTHER || !is_path(given->value, is_place) || is_switch(given->option))
        return NULL;
    if (meaning == KEEPS && (path_exists(given->value) || !(is_folder || has_ending(given->value))))
        return NULL;
    bool is_its = given->option || is_place || !given->may_be_apart || strcmp(given->name, "-o") == 0;
    bool sure = meaning == PUTS && is_its && !is_read(given->option);
    if (sure || !has_content(given->value))
        return take_place(files, given);
    texts_add(&files->kept, mem_format("%s %s", given->name, given->value));
    return NULL;
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
static bool add_joined(struct own_files *files, const char *word, const json_t *options)
{
    const char *sign = strchr(word, '=');
    char *name = mem_text_n(word, sign ? (size_t)(sign - word) : 0);
    const struct given_file given = {name, sign ? sign + 1 : "", given_words_option(options, name), false};
    const char *place = *name == '-' ? find_place(files, &given) : NULL;
    if (place)
        texts_add(&files->words, mem_format("%s=%s", name, place));
    free(name);
    return place;
}

void own_files_add(struct own_files *files, const struct texts *words, const json_t *options)
{
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->items[i], *before = i ? words->items[i - 1] : "";
        const struct given_file given = {before, word, given_words_option(options, before), true};
        const char *place = *before == '-' && !strchr(before, '=') ? find_place(files, &given) : NULL;
        if (place)
            texts_add(&files->words, mem_text(place));
        else if (!add_joined(files, word, options))
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
        const struct given_file given = {spelling, value, option, false};
        const char *place = open ? find_place(files, &given) : NULL;
        if (place)
            texts_add(&files->words, mem_format("%s=%s", spelling, place));
    }
}
