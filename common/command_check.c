/* What a command needs; see command_check.h. */
#include "common/command_check.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/path_search.h"
#include "common/texts.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_SCRIPT = 1 << 20, LARGEST_PROGRAM = 64 << 20 };

/* --- the words of a command --- */

static bool is_any(const char *text, const char *const *of)
{
    for (size_t i = 0; of[i]; i++)
        if (strcmp(of[i], text) == 0)
            return true;
    return false;
}

/* A word that only a trial or the shell can tell. */
static bool is_open(const char *word)
{
    return strpbrk(word, "$'\"*?[~\\") != NULL;
}

/* The words of a simple command that a shell is given, and false for any other text: there a word may be anything. */
static bool split_text(const char *text, struct texts *words)
{
    if (strpbrk(text, ";|&<>()`\n#"))
        return false;
    while (*(text += strspn(text, " \t"))) {
        size_t length = strcspn(text, " \t");
        texts_add(words, mem_text_n(text, length));
        text += length;
    }
    return words->count && !strchr(words->items[0], '=') && !is_open(words->items[0]);
}

/* What the shell does itself. */
static bool is_of_shell(const char *word)
{
    static const char *const own[] = {
        ".",       ":",        "[",    "[[",     "{",      "!",     "alias",  "break",  "builtin", "case", "cd",
        "command", "continue", "echo", "eval",   "exec",   "exit",  "export", "false",  "for",     "if",   "let",
        "local",   "printf",   "pwd",  "read",   "return", "set",   "shift",  "source", "test",    "time", "times",
        "trap",    "true",     "type", "ulimit", "umask",  "unset", "until",  "wait",   "while",   NULL};
    return is_any(word, own);
}

/* The words as they will be executed: those of the command, or of its text for the shell. */
struct checked_words {
    struct texts split; /* of the text; empty: they are the command's */
    const char *const *items;
    bool shell, clear; /* it is a text for a shell; it is one that can be read */
};

static void words_open(const struct command_place *place, struct checked_words *out)
{
    const char *const *command = place->command;
    *out = (struct checked_words){.items = command, .clear = command[0] != NULL};
    out->shell = command[0] && command[1] && command[2] && !command[3] && strcmp(command[0], "/bin/sh") == 0 &&
                 strcmp(command[1], "-c") == 0;
    if (!out->shell)
        return;
    out->clear = split_text(command[2], &out->split);
    out->items = (const char *const *)out->split.items;
}

static void words_close(struct checked_words *words)
{
    texts_fini(&words->split);
}

/* --- the script of an interpreter --- */

static bool is_shell(const char *name)
{
    static const char *const shells[] = {"sh", "bash", "dash", "zsh", "ksh", NULL};
    return is_any(path_base(name), shells);
}

static bool is_interpreter(const char *program)
{
    static const char *const known[] = {"Rscript", "julia", "perl",     "ruby",      "node",
                                        "lua",     "pypy",  "torchrun", "deepspeed", NULL};
    const char *name = path_base(program);
    bool python = strncmp(name, "python", 6) == 0 && strspn(name + 6, "0123456789.") == strlen(name + 6);
    return python || is_shell(name) || is_any(name, known);
}

static bool has_script_ending(const char *word)
{
    static const char *const endings[] = {".py", ".sh", ".bash", ".R", ".r", ".jl", ".pl", ".rb", ".js", ".lua", NULL};
    const char *dot = strrchr(path_base(word), '.');
    return dot && is_any(dot, endings);
}

/* An option behind which no script comes: a module (python -m), or the code itself. */
static bool takes_code(const char *option)
{
    static const char *const of_code[] = {"-m", "--module", "-e", "-E", "-p", "--eval", "-s", "--version", NULL};
    size_t length = strlen(option);
    bool shell_code = option[1] != '-' && option[length - 1] == 'c';
    return shell_code || is_any(option, of_code);
}

/* The number of the word that is the script; 0: there is none, or it can't be told. The word behind an option may be
 * the option's, unless it looks like a script. */
static int find_script(const char *const *words)
{
    if (!words[0] || !is_interpreter(words[0]))
        return 0;
    for (int i = 1; words[i]; i++) {
        bool behind_option = i > 1 && words[i - 1][0] == '-' && !strchr(words[i - 1], '=');
        if (words[i][0] == '-' && (!words[i][1] || takes_code(words[i])))
            return 0;
        if (words[i][0] == '-')
            continue;
        if (is_open(words[i]))
            return 0;
        if (!behind_option || has_script_ending(words[i]))
            return i;
    }
    return 0;
}

/* --- faults --- */

static int miss_program(const struct command_place *place, const char *name, struct command_fault *fault)
{
    const char *search = place->path ? place->path : PATH_SEARCH_USUAL;
    char *versioned = mem_format("%s3", name), *other = path_search(versioned, search);
    char *near = other ? mem_text(versioned) : path_search_near(name, search);
    char *beside = path_join(place->base, name);
    err_write(&fault->err, "there is no program '%s' in PATH", name);
    if (path_is_file(beside))
        err_write(&fault->remedy, "a program that is not in PATH needs a slash: write ./%s", name);
    else if (near)
        err_write(&fault->remedy, "did you mean '%s'?", near);
    free(beside);
    free(near);
    free(other);
    free(versioned);
    return -1;
}

/* A file that is there and can't be executed is most often a script. */
static int refuse_program(const char *path, const char *name, struct command_fault *fault)
{
    bool is_directory = errno == EACCES && !path_is_file(path) && path_exists(path);
    errno = is_directory ? EISDIR : errno;
    err_write_errno(&fault->err, "'%s' can't be run here", path);
    if (path_is_file(path))
        err_write(&fault->remedy, "write what runs it, such as [%s, %s], or make it executable: chmod +x %s",
                  strstr(name, ".py") ? "python3" : "sh", name, name);
    return -1;
}

/* How a file begins. */
struct head {
    char bytes[256]; /* ends with a zero byte */
    size_t length;
};

/* False: it can't be read, or is no file (a pipe would wait for who writes it). */
static bool read_head(const char *path, struct head *head)
{
    FILE *file = path_is_file(path) ? fopen(path, "re") : NULL;
    *head = (struct head){0};
    if (!file)
        return false;
    head->length = fread(head->bytes, 1, sizeof head->bytes - 1, file);
    fclose(file);
    return true;
}

/* The interpreter of a script's first line, "#!/usr/bin/env python3": its words, which that line is cut into. False: it
 * has no such line. */
static bool split_interpreter(struct head *head, char *words[2])
{
    char *rest = NULL, *line = head->bytes;
    bool is_script = strncmp(line, "#!", 2) == 0;
    line[strcspn(line, "\n")] = '\0';
    words[0] = is_script ? strtok_r(line + 2, " \t", &rest) : NULL;
    words[1] = words[0] ? strtok_r(NULL, " \t", &rest) : NULL;
    return words[0];
}

/* Without it the kernel says of the script itself that there is no such file. */
static int check_interpreter(const struct command_place *place, const char *path, struct head *head,
                             struct command_fault *fault)
{
    char *words[2], *found = NULL;
    if (!split_interpreter(head, words))
        return 0;
    bool by_env = strcmp(path_base(words[0]), "env") == 0 && words[1] && *words[1] != '-' && !strchr(words[1], '=');
    bool is_there = access(words[0], X_OK) == 0;
    const char *missing = is_there && by_env ? words[1] : words[0];
    if (is_there && by_env)
        found = path_search(words[1], place->path ? place->path : PATH_SEARCH_USUAL);
    is_there = is_there && (!by_env || found);
    free(found);
    if (is_there)
        return 0;
    size_t length = strcspn(missing, "\r");
    err_write(&fault->err, "'%s' names '%.*s' in its first line, and there is no such program", path, (int)length,
              missing);
    if (missing[length])
        err_write(&fault->remedy, "its lines end as on Windows: dos2unix %s", path);
    else
        err_write(&fault->remedy, "write one that is here, such as #!/usr/bin/env python3 or #!/bin/sh");
    return -1;
}

/* Whether the first item of a list is a whole command: a program of PATH, a blank, and more. */
static bool is_whole_command(const struct command_place *place, const char *name)
{
    size_t length = strcspn(name, " \t");
    char *first = mem_text_n(name, length), *whole = NULL, *program = NULL;
    bool may_be = name[length] && length && !strchr(first, '/') && !is_open(first);
    const char *search = place->path ? place->path : PATH_SEARCH_USUAL;
    if (may_be && !(whole = path_search(name, search)))
        program = path_search(first, search);
    bool found = program != NULL;
    free(first);
    free(whole);
    free(program);
    return found;
}

static int refuse_whole_command(const char *name, struct command_fault *fault)
{
    struct buf list = {0};
    for (const char *at = name; *(at += strspn(at, " \t"));) {
        int length = (int)strcspn(at, " \t");
        const char *quote = memchr(at, '$', (size_t)length) ? "\"" : "";
        buf_format(&list, "%s%s%.*s%s", list.length ? ", " : "", quote, length, at, quote);
        at += length;
    }
    err_write(&fault->err, "'%s' is one item of the list, and no program's name", name);
    err_write(&fault->remedy, "write each word as an item, [%s], or the command as one text, without the brackets",
              buf_str(&list));
    buf_fini(&list);
    return -1;
}

/* A shell runs such a file by itself, the kernel doesn't. What has a zero byte is a program of some kind. */
static int refuse_plain_text(const char *path, const char *name, const struct head *head, struct command_fault *fault)
{
    static const char mark[] = "\xef\xbb\xbf"; /* of byte order, as editors on Windows write it */
    if (memchr(head->bytes, 0, head->length) || strncmp(head->bytes, "#!", 2) == 0)
        return 0;
    err_write(&fault->err,
              head->length ? "'%s' is a text, and its first line does not say what runs it" : "'%s' is an empty file",
              path);
    if (strncmp(head->bytes, mark, strlen(mark)) == 0)
        err_write(&fault->remedy, "it begins with a byte order mark: save it as UTF-8 without one");
    else
        err_write(&fault->remedy, "begin it with a line such as #!/bin/sh, or write what runs it, such as [%s, %s]",
                  strstr(name, ".py") ? "python3" : "sh", name);
    return -1;
}

/* A file that is there: whether it can be run. */
static int check_file(const struct command_place *place, const char *path, const char *name, bool by_shell,
                      struct command_fault *fault)
{
    struct stat at;
    struct head head;
    int failed = access(path, X_OK);
    if (!failed && stat(path, &at) == 0 && S_ISDIR(at.st_mode)) {
        failed = -1;
        errno = EACCES;
    }
    if (failed)
        return refuse_program(path, name, fault);
    if (!read_head(path, &head))
        return 0;
    return !by_shell && refuse_plain_text(path, name, &head, fault) ? -1 : check_interpreter(place, path, &head, fault);
}

static int check_program(const struct command_place *place, const struct checked_words *words,
                         struct command_fault *fault)
{
    const char *name = words->items[0];
    if (!words->shell && is_whole_command(place, name))
        return refuse_whole_command(name, fault);
    if (is_open(name) || (words->shell && is_of_shell(name)))
        return 0;
    char *path = strchr(name, '/') ? path_join(words->shell ? place->workdir : place->base, name)
                                   : path_search(name, place->path ? place->path : PATH_SEARCH_USUAL);
    int failed = path ? check_file(place, path, name, words->shell, fault) : miss_program(place, name, fault);
    free(path);
    return failed;
}

static int miss_script(const struct command_place *place, const char *name, const char *path,
                       struct command_fault *fault)
{
    if (errno == ENOENT)
        err_write(&fault->err, "there is no file '%s'", path);
    else
        err_write_errno(&fault->err, "'%s' can't be read", path);
    char *directory = path_directory(path), *near = path_near(path_base(path), directory);
    char *in_base = path_join(place->base, name);
    if (path_exists(in_base))
        err_write(&fault->remedy, "it is in %s; the command starts in trial.workdir", place->base);
    else if (near)
        err_write(&fault->remedy, "did you mean '%s'?", near);
    free(in_base);
    free(near);
    free(directory);
    return -1;
}

static int check_script(const struct command_place *place, const struct checked_words *words,
                        struct command_fault *fault)
{
    int script = find_script(words->items);
    if (!script)
        return 0;
    char *path = path_join(place->workdir, words->items[script]);
    int failed = access(path, R_OK) ? miss_script(place, words->items[script], path, fault) : 0;
    if (failed)
        fault->argument = words->shell ? 2 : script;
    free(path);
    return failed;
}

static int check_workdir(const struct command_place *place, struct command_fault *fault)
{
    struct stat at;
    fault->argument = COMMAND_WORKDIR;
    if (stat(place->workdir, &at))
        err_write_errno(&fault->err, "trials can't start in '%s'", place->workdir);
    else if (!S_ISDIR(at.st_mode))
        err_write(&fault->err, "trials can't start in '%s': it is no directory", place->workdir);
    else
        return 0;
    err_write(&fault->remedy, "make the directory, or leave workdir out: it is where the experiment file is then");
    return -1;
}

int command_check(const struct command_place *place, struct command_fault *fault)
{
    struct checked_words words;
    *fault = (struct command_fault){0};
    if (check_workdir(place, fault))
        return -1;
    words_open(place, &words);
    fault->argument = words.shell ? 2 : 0;
    int failed = words.clear && (check_program(place, &words, fault) || check_script(place, &words, fault));
    words_close(&words);
    return failed ? -1 : 0;
}

int command_check_sentence(const struct command_place *place, struct err *err)
{
    struct command_fault fault;
    if (command_check(place, &fault) == 0)
        return 0;
    return err_set(err, "%s", fault.err.text);
}

/* --- what the program says of itself --- */

static void read_file(const char *directory, const char *name, size_t limit, struct buf *out)
{
    char *path = path_join(directory, name);
    if (path_is_file(path) && path_read(path, out, limit, NULL))
        buf_clear(out);
    free(path);
}

static void add_file(const char *directory, const char *name, struct buf *out)
{
    struct buf text = {0};
    read_file(directory, name, LARGEST_SCRIPT, &text);
    if (text.length && !memchr(text.data, 0, text.length))
        buf_add(out, text.data, text.length);
    buf_fini(&text);
}

void command_add_source(const struct command_place *place, struct buf *out)
{
    struct checked_words words;
    words_open(place, &words);
    for (size_t i = 0; words.clear && words.items[i]; i++)
        if (!is_open(words.items[i]))
            add_file(i ? place->workdir : place->base, words.items[i], out);
    words_close(&words);
}

/* Whether a program that is no text, as a compiler makes them, has the name of one of our variables in it. */
static bool names_variable(const struct command_place *place)
{
    static const char *const ours[] = {"GANNET_PARAM", "GANNET_TOKEN"};
    struct buf program = {0};
    struct checked_words words;
    bool names = false;
    words_open(place, &words);
    if (words.clear && words.items[0] && strchr(words.items[0], '/') && !is_open(words.items[0]))
        read_file(place->base, words.items[0], LARGEST_PROGRAM, &program);
    words_close(&words);
    for (size_t i = 0; i < sizeof ours / sizeof *ours && program.length && !names; i++)
        names = memmem(program.data, program.length, ours[i], strlen(ours[i]));
    buf_fini(&program);
    return names;
}

bool command_imports(const char *source, const char *module)
{
    size_t length = strlen(module);
    for (const char *at = source; (at = strstr(at, module)); at += length) {
        const char *line = at;
        while (line > source && line[-1] != '\n')
            line--;
        line += strspn(line, " \t");
        if ((strncmp(line, "import ", 7) == 0 || strncmp(line, "from ", 5) == 0) && strchr(" ,", at[-1]) &&
            strchr(" ,;.#\r\n", at[length]))
            return true;
    }
    return false;
}

bool command_reads_environment(const struct command_place *place)
{
    static const char *const ours[] = {"GANNET_PARAM", "gannet_trial(" /* in R */, "Gannet.trial(" /* in Julia */};
    struct buf source = {0};
    command_add_source(place, &source);
    bool reads = command_imports(buf_str(&source), "gannet") || names_variable(place);
    for (size_t i = 0; i < sizeof ours / sizeof *ours && !reads; i++)
        reads = strstr(buf_str(&source), ours[i]);
    buf_fini(&source);
    return reads;
}

/* Whether a word names a shell's script, by its ending or its first line. */
static bool is_shell_script(const char *directory, const char *word)
{
    static const char *const endings[] = {".sh", ".bash", NULL};
    struct head head;
    char *words[2], *path = path_join(directory, word);
    const char *dot = strrchr(path_base(word), '.');
    bool is_script = read_head(path, &head) && split_interpreter(&head, words) &&
                     (is_shell(words[0]) || (words[1] && is_shell(words[1])));
    free(path);
    return is_script || (dot && is_any(dot, endings));
}

bool command_starts_others(const struct command_place *place)
{
    struct checked_words words;
    bool starts = false;
    words_open(place, &words);
    for (size_t i = 0; words.clear && words.items[i] && !starts; i++)
        starts = strcmp(words.items[i], "-m") == 0 ||
                 (!is_open(words.items[i]) && is_shell_script(i ? place->workdir : place->base, words.items[i]));
    words_close(&words);
    return starts;
}
