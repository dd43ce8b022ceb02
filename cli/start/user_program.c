/* Asking a program for its options; see user_program.h. */
#include "cli/start/user_program.h"
#include "cli/start/given_words.h"
#include "cli/start/help_text.h"
#include "cli/start/hydra.h"
#include "cli/start/python_hook.h"
#include "cli/format.h"
#include "common/loop.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/proc.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_HELP = 1 << 20 }; /* bytes: a thousand options with a paragraph each */

void user_program_fini(struct user_program *program)
{
    texts_fini(&program->words);
    free(program->source);
    *program = (struct user_program){0};
}

/* --- which program --- */

static bool is_python(const char *word)
{
    return strncmp(path_base(word), "python", 6) == 0;
}

/* The place of the program's file, or of -m, among the words of a Python command; 0: neither is there. */
static size_t find_script(const struct texts *words)
{
    if (!words->count || !is_python(words->items[0]))
        return 0;
    for (size_t i = 1; i < words->count; i++)
        if (words->items[i][0] != '-' || strcmp(words->items[i], "-m") == 0)
            return i;
        else if (strcmp(words->items[i], "-c") == 0)
            return 0;
    return 0;
}

/* The Python file of a Python command, when it is here: of -m pkg.train it is pkg/train.py. */
static char *find_source(const struct texts *words)
{
    size_t script = find_script(words);
    bool module = script && strcmp(words->items[script], "-m") == 0;
    if (!script || (module && script + 1 == words->count))
        return NULL;
    char *path = module ? mem_format("%s.py", words->items[script + 1]) : mem_text(words->items[script]);
    for (char *c = path; module && c < path + strlen(path) - 3; c++)
        *c = *c == '.' ? '/' : *c;
    if (path_is_file(path))
        return path;
    free(path);
    return NULL;
}

char *user_program_name(const struct user_program *program)
{
    const struct texts *words = &program->words;
    size_t script = find_script(words);
    if (script && strcmp(words->items[script], "-m") != 0)
        return mem_text(path_base(words->items[script]));
    if (!script || script + 1 == words->count)
        return mem_text(path_base(words->items[0]));
    const char *module = words->items[script + 1], *dot = strrchr(module, '.');
    return mem_text(dot ? dot + 1 : module);
}

/* A Python file in place of a program is run by python3; a file here needs its directory. */
static void complete_words(struct user_program *program)
{
    struct texts *words = &program->words, whole = {0};
    char *first = words->items[0];
    if (path_ends_with(first, ".py")) {
        texts_add(&whole, mem_text("python3"));
        texts_add_all(&whole, (const char *const *)words->items);
    } else if (!strchr(first, '/') && path_is_file(first) && access(first, X_OK) == 0) {
        texts_add(&whole, mem_format("./%s", first));
        texts_add_all(&whole, (const char *const *)words->items + 1);
    }
    if (whole.count) {
        texts_fini(words);
        *words = whole;
    }
    program->source = find_source(words);
}

/* -1 with a sentence: the script is not there, or a file is named that nobody can run. */
static int check_file(const struct user_program *program, struct err *err)
{
    const struct texts *words = &program->words;
    size_t script = find_script(words);
    const char *first = words->items[0];
    if (script && path_ends_with(words->items[script], ".py") && !program->source)
        return err_set(err, "there is no file '%s' here", words->items[script]);
    if (path_is_file(first) && access(first, X_OK) != 0)
        return err_set(err, "'%s' can't be executed; name what runs it, gannet init -- sh %s, or chmod +x %s", first,
                       first, first);
    return 0;
}

int user_program_of_words(const char *const *words, size_t count, struct user_program *out, struct err *err)
{
    *out = (struct user_program){0};
    if (!count || !*words[0])
        return err_set(err, "there is no program; gannet init --from train.py names one");
    for (size_t i = 0; i < count; i++)
        texts_add(&out->words, mem_text(words[i]));
    complete_words(out);
    return check_file(out, err);
}

/* One word of the text from *at on, as a shell reads it, without what only a shell can do. -1 with a sentence. */
static int read_word(const char **at, struct buf *word, struct err *err)
{
    char quote = 0;
    for (; **at && (quote || !isspace((unsigned char)**at)); ++*at) {
        char c = **at;
        if (quote ? c == quote : c == '"' || c == '\'')
            quote = quote ? 0 : c;
        else if (c == '\\' && quote != '\'' && (*at)[1])
            buf_add(word, ++*at, 1);
        else if (quote != '\'' && strchr(quote ? "$`" : "$`|&;<>()*?[]{}#~!", c))
            return err_set(
                err,
                "'%c' in the command means something to a shell, which is not used here; put the command into "
                "a script, or its words behind --: gannet init -- python3 train.py",
                c);
        else
            buf_add(word, &c, 1);
    }
    return quote ? err_set(err, "the command ends within quotes") : 0;
}

int user_program_of_text(const char *text, struct user_program *out, struct err *err)
{
    struct texts words = {0};
    int failed = 0;
    *out = (struct user_program){0};
    if (path_is_file(text))
        return user_program_of_words(&text, 1, out, err);
    for (const char *at = text; !failed;) {
        struct buf word = {0};
        at += strspn(at, " \t\n");
        if (!*at)
            break;
        failed = read_word(&at, &word, err);
        texts_add(&words, buf_take(&word));
    }
    if (!failed)
        failed = user_program_of_words((const char *const *)words.items, words.count, out, err);
    texts_fini(&words);
    return failed;
}

/* --- running it --- */

/* One run of a program. */
struct asking {
    struct loop *loop;
    struct proc *proc;
    struct loop_watch *reader; /* of its output; NULL: that has ended */
    int output;                /* our end of the pipe */
    struct buf *text;          /* what it wrote */
    bool late, ended;
    struct proc_exit how;
};

/* Reads what there is: false at the end of it, or when there is too much. */
static bool read_piece(struct asking *asking)
{
    char bytes[16384];
    ssize_t count = read(asking->output, bytes, sizeof bytes);
    if (count < 0)
        return errno == EINTR || errno == EAGAIN;
    buf_add(asking->text, bytes, (size_t)count);
    return count > 0 && asking->text->length < MOST_HELP;
}

static void take_output(void *context)
{
    struct asking *asking = context;
    if (read_piece(asking))
        return;
    loop_remove(asking->reader);
    asking->reader = NULL;
    if (asking->ended)
        loop_stop(asking->loop);
    else if (asking->text->length >= MOST_HELP)
        proc_end(asking->proc, 0);
}

/* Reads no further. */
static void give_up(void *context)
{
    struct asking *asking = context;
    loop_remove(asking->reader);
    asking->reader = NULL;
    asking->late = !asking->ended;
    if (asking->ended)
        loop_stop(asking->loop);
    else
        proc_end(asking->proc, 0);
}

/* A process that it left behind, in a session of its own, may hold the pipe for as long as it likes. */
static void note_end(void *context, const struct proc_exit *how)
{
    static const double last_words = 1;
    struct asking *asking = context;
    asking->ended = true;
    asking->how = *how;
    if (asking->reader)
        loop_timer(asking->loop, last_words, give_up, asking);
    else
        loop_stop(asking->loop);
}

static int run_to_end(struct asking *asking, const char *const *argv, int out, double seconds, struct err *err)
{
    static const char *const plain[] = {"COLUMNS=200", "NO_COLOR=1", "TERM=dumb", "PYTHONDONTWRITEBYTECODE=1", NULL};
    struct proc_setup setup = {.argv = argv, .env = plain, .fd0 = -1, .fd1 = out, .fd2 = out, .fd3 = -1};
    asking->proc = proc_start(asking->loop, &setup, note_end, asking, err);
    close(out);
    if (!asking->proc)
        return -1;
    asking->reader = loop_read(asking->loop, asking->output, take_output, asking);
    loop_timer(asking->loop, seconds, give_up, asking);
    int failed = loop_run(asking->loop, err);
    proc_destroy(asking->proc);
    return failed;
}

/* Runs it; *how it ended, unless it was late. */
static int run_program(const char *const *argv, double seconds, struct asking *asking, struct err *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
        return err_errno(err, "can't make a pipe");
    fcntl(ends[1], F_SETFL, 0); /* the program's end waits as usual */
    asking->output = ends[0];
    asking->loop = loop_create();
    int failed = run_to_end(asking, argv, ends[1], seconds, err);
    loop_destroy(asking->loop);
    close(ends[0]);
    return failed;
}

/* --- what it said --- */

/* The command line that asks: of Python programs through the hook. */
static void make_command(const struct user_program *program, struct texts *argv)
{
    const struct texts *words = &program->words;
    size_t script = find_script(words);
    for (size_t i = 0; i < words->count; i++) {
        if (script && i == script) {
            texts_add(argv, mem_text("-c"));
            texts_add(argv, mem_text(python_hook));
        }
        texts_add(argv, mem_text(words->items[i]));
    }
    texts_add(argv, mem_text("--help"));
}

/* The options that a Python program named behind its help, which is cut off there; NULL: it named none. */
static json_t *take_named(struct buf *help)
{
    char *mark = help->length ? strstr(help->data, PYTHON_HOOK_MARK) : NULL;
    if (!mark)
        return NULL;
    const char *text = mark + strlen(PYTHON_HOOK_MARK);
    json_t *options = json_loadb(text, strcspn(text, "\n"), 0, NULL);
    help->length = (size_t)(mark - help->data);
    *mark = '\0';
    if (json_is_array(options))
        return options;
    json_decref(options);
    return NULL;
}

/* The last line that is not empty. */
static void add_last_line(const struct buf *text, struct buf *out)
{
    size_t end = text->length;
    while (end && isspace((unsigned char)text->data[end - 1]))
        end--;
    size_t begin = end;
    while (begin && text->data[begin - 1] != '\n')
        begin--;
    char *line = mem_text_n(end ? text->data + begin : "", end - begin);
    format_safe(line, out);
    free(line);
}

static int refuse_end(const struct user_program *program, const struct asking *asking, double seconds, struct err *err)
{
    const char *name = program->source ? program->source : program->words.items[0];
    struct buf said = {0};
    add_last_line(asking->text, &said);
    if (asking->late)
        err_write(err, "%s --help had not ended after %g seconds; --wait takes more", name, seconds);
    else if (asking->text->length >= MOST_HELP)
        err_write(err, "%s --help wrote more than %d KiB and was ended", name, MOST_HELP >> 10);
    else if (asking->how.by_signal)
        err_write(err, "%s --help was killed by signal %d: %s", name, asking->how.number, buf_str(&said));
    else
        err_write(err,
                  "%s --help ended with status %d: %s. A program that has no help is told what to search: --param "
                  "lr=1e-5..1e-1:log",
                  name, asking->how.number, buf_str(&said));
    buf_fini(&said);
    return -1;
}

json_t *user_program_options(const struct user_program *program, double seconds, struct buf *help, struct err *err)
{
    struct texts argv = {0};
    struct asking asking = {.text = help};
    make_command(program, &argv);
    int failed = run_program((const char *const *)argv.items, seconds, &asking, err);
    texts_fini(&argv);
    if (failed)
        return NULL;
    json_t *options = take_named(help);
    size_t script = find_script(&program->words);
    if (options && script) /* of -m the next word is the program */
        given_words_mark(&program->words, script + 1 + (strcmp(program->words.items[script], "-m") == 0), buf_str(help),
                         options);
    if (!options && (asking.late || asking.how.by_signal || asking.how.number)) {
        refuse_end(program, &asking, seconds, err);
        return NULL;
    }
    if (!options)
        options = hydra_options(buf_str(help));
    return options ? options : help_text_options(buf_str(help));
}
