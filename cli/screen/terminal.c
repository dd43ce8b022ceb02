/* The terminal, by ncurses; see terminal.h. */
#include "cli/screen/terminal.h"
#include "cli/screen/glyph.h"
#include "cli/screen/terminal_rescue.h"
#include "common/mem.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *begins, *alike;
} families[] = {
    {"xterm", "xterm-256color"},
    {"kitty", "xterm-256color"},
    {"alacritty", "xterm-256color"},
    {"foot", "xterm-256color"},
    {"wezterm", "xterm-256color"},
    {"ghostty", "xterm-256color"},
    {"rio", "xterm-256color"},
    {"contour", "xterm-256color"},
    {"konsole", "xterm-256color"},
    {"vte", "xterm-256color"},
    {"gnome", "xterm-256color"},
    {"iterm", "xterm-256color"},
    {"st-", "xterm-256color"},
    {"rxvt", "rxvt"},
    {"tmux", "screen"},
    {"screen", "screen"},
};

/* The description that a terminal of this name (TERM) understands as well: "xterm-256color" for "xterm-kitty". NULL:
 * none is known. */
static const char *description_alike(const char *term)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strncmp(term, families[i].begins, strlen(families[i].begins)) == 0)
            return families[i].alike;
    return NULL;
}

#define NCURSES_WIDECHAR 1
#include <curses.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

struct terminal {
    SCREEN *screen;
    FILE *input;  /* of our own, where reading never waits; NULL: there is none, and standard input is read */
    WINDOW *keys; /* reading from the window that is shown would show it */
    struct look look;
    attr_t attributes[TINT_WARN + 1];
    struct termios before;
    bool mouse;
    bool marks;  /* it was asked to mark what is pasted */
    bool pastes; /* what comes is a part of a pasted text */
};

/* What stands before and behind a pasted text, as keys: between the numbers that ncurses has for its own. */
enum { KEY_PASTE_BEGINS = KEY_MAX - 2, KEY_PASTE_ENDS = KEY_MAX - 1 };

/* --- colours --- */

/* Okabe and Ito's colours, which colour-blind people tell apart: of 256, of 16, of 8. Each also has an attribute, for
 * terminals without colours. */
static const struct colour {
    enum tint tint;
    short of_256, of_16, of_8; /* -1: the terminal's own */
    attr_t attribute;
} colours[] = {{TINT_STRONG, -1, -1, -1, A_BOLD}, {TINT_QUIET, 245, 8, -1, A_DIM},  {TINT_GOOD, 36, 10, 2, A_NORMAL},
               {TINT_BAD, 208, 9, 1, A_BOLD},     {TINT_BUSY, 74, 14, 6, A_NORMAL}, {TINT_WARN, 220, 11, 3, A_NORMAL}};

static void choose_colours(struct terminal *terminal)
{
    bool coloured = terminal->look.colour && has_colors() && start_color() == OK;
    if (coloured)
        use_default_colors();
    for (size_t i = 0; i < sizeof colours / sizeof *colours; i++) {
        const struct colour *row = &colours[i];
        short number = COLORS >= 256 ? row->of_256 : COLORS >= 16 ? row->of_16 : row->of_8;
        attr_t attribute = row->attribute;
        if (coloured && number >= 0 && init_pair((short)row->tint, number, -1) == OK)
            attribute = COLOR_PAIR(row->tint) | (attribute & A_BOLD);
        terminal->attributes[row->tint] = attribute;
    }
}

/* --- opening and closing --- */

/* Adds a capability's text without its paddings "$<5>". */
static void add_capability(const char *name, struct buf *out)
{
    const char *text = tigetstr(name);
    if (!text || text == (const char *)-1)
        return;
    while (*text) {
        size_t length = strcspn(text, "$");
        buf_add(out, text, length);
        text += length;
        if (text[0] == '$' && text[1] == '<')
            text += strcspn(text, ">") + 1;
        else if (*text)
            buf_add(out, text++, 1);
    }
}

/* A terminal that does not know this passes it over, as it does with the same from shells. */
static const char mark_pasted[] = "\033[?2004h", unmark_pasted[] = "\033[?2004l";

static void ask_for_marks(struct terminal *terminal, bool marks)
{
    if (terminal->marks == marks)
        return;
    putp(marks ? mark_pasted : unmark_pasted);
    fflush(stdout); /* where putp leaves it; a frame goes another way */
    terminal->marks = marks;
}

static void prepare_rescue(const struct terminal *terminal)
{
    static const char *const capabilities[] = {"sgr0", "op", "rmkx", "rmcup", "cnorm"};
    struct buf sequences = {0};
    buf_text(&sequences, unmark_pasted);
    if (terminal->mouse)
        buf_text(&sequences, "\033[?1006l\033[?1000l");
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++)
        add_capability(capabilities[i], &sequences);
    terminal_rescue_arm(STDOUT_FILENO, buf_str(&sequences), &terminal->before);
    buf_fini(&sequences);
}

/* Standard input's terminal once more, so that reading never waits: a key that poll has announced can be gone when it
 * is read, as a signal's key throws away what was typed before it, and what is said of standard input itself
 * (O_NONBLOCK) would hold for the shell, too. A terminal that was handed on by another user can be opened by its
 * general name alone. NULL: it can't be opened. */
static FILE *open_input(void)
{
    const char *name = tcgetsid(STDIN_FILENO) >= 0 ? "/dev/tty" : ttyname(STDIN_FILENO);
    int fd = name ? open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
    FILE *input = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (fd >= 0 && !input)
        close(fd);
    return input;
}

static SCREEN *open_described(const char *name, FILE *input)
{
    SCREEN *screen = newterm(name, stdout, input);
    const char *alike = screen ? NULL : description_alike(name);
    return alike ? newterm(alike, stdout, input) : screen;
}

struct terminal *terminal_open(const struct look *look, struct err *err)
{
    struct terminal *terminal = MEM_NEW(struct terminal);
    const char *name = getenv("TERM");
    terminal->look = *look;
    bool settings = tcgetattr(STDIN_FILENO, &terminal->before) == 0 && isatty(STDOUT_FILENO);
    terminal->input = settings ? open_input() : NULL;
    terminal->screen = settings && name ? open_described(name, terminal->input ? terminal->input : stdin) : NULL;
    if (!terminal->screen || !tigetstr("cup")) {
        err_write(err, "this machine does not know a terminal that can show a screen as '%s' (TERM)", name ? name : "");
        terminal_close(terminal);
        return NULL;
    }
    cbreak();
    noecho();
    nonl();
    set_escdelay(50); /* milliseconds in which the rest of a function key comes */
    terminal->keys = newpad(1, 1);
    keypad(terminal->keys, TRUE);
    nodelay(terminal->keys, TRUE);
    define_key("\033[200~", KEY_PASTE_BEGINS);
    define_key("\033[201~", KEY_PASTE_ENDS);
    choose_colours(terminal);
    prepare_rescue(terminal);
    return terminal;
}

/* One that takes nothing at all is not waited for. */
static void give_back(struct terminal *terminal)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    if (poll(&output, 1, 0) <= 0)
        return;
    terminal_rescue_let_end(true);
    mousemask(0, NULL);
    ask_for_marks(terminal, false);
    endwin();
    terminal_rescue_let_end(false);
}

void terminal_close(struct terminal *terminal)
{
    if (!terminal)
        return;
    if (terminal->screen) {
        give_back(terminal);
        terminal_rescue_disarm();
        if (terminal->keys)
            delwin(terminal->keys);
        delscreen(terminal->screen);
        tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal->before);
    }
    if (terminal->input)
        fclose(terminal->input);
    free(terminal);
}

void terminal_leave(struct terminal *terminal)
{
    ask_for_marks(terminal, false);
    endwin();
    tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal->before);
}

void terminal_measure(struct terminal *terminal, unsigned *rows, unsigned *columns)
{
    struct winsize size;
    (void)terminal;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col &&
        is_term_resized(size.ws_row, size.ws_col))
        resizeterm(size.ws_row, size.ws_col);
    *rows = (unsigned)LINES;
    *columns = (unsigned)COLS;
}

/* --- showing --- */

/* The characters of a cell, as far as the locale gives them the width that they have in the frame. */
static void wide_text(const struct cell *cell, unsigned columns, wchar_t out[CCHARW_MAX])
{
    size_t count = 0;
    const char *text = cell->text;
    while (*text && count + 1 < CCHARW_MAX) {
        struct glyph glyph = glyph_read(text);
        int width = glyph.code == '?' ? 1 : wcwidth((wchar_t)glyph.code);
        if (count == 0 && width != (int)columns)
            glyph.code = '?';
        if (count == 0 || width == 0)
            out[count++] = (wchar_t)glyph.code;
        text += glyph.length;
    }
    out[count] = 0;
}

static void put_cell(const struct terminal *terminal, int row, int column, const struct cell *cell, unsigned columns)
{
    wchar_t text[CCHARW_MAX];
    cchar_t shown;
    attr_t attributes = terminal->attributes[cell->tint] | (cell->reversed ? A_REVERSE : 0);
    wide_text(cell, columns, text);
    setcchar(&shown, text, attributes, (short)PAIR_NUMBER(attributes), NULL);
    mvadd_wch(row, column, &shown);
    if (columns == 2 && text[0] == '?') { /* the locale makes nothing wide of it */
        setcchar(&shown, L" ", attributes, (short)PAIR_NUMBER(attributes), NULL);
        mvadd_wch(row, column + 1, &shown);
    }
}

static void put_row(const struct terminal *terminal, const struct canvas *canvas, unsigned row)
{
    const struct cell *cells = canvas->cells + (size_t)row * canvas->columns;
    for (unsigned column = 0; column < canvas->columns; column++) {
        bool is_wide = column + 1 < canvas->columns && !*cells[column + 1].text;
        if (*cells[column].text)
            put_cell(terminal, (int)row, (int)column, &cells[column], 1 + is_wide);
    }
}

void terminal_show(struct terminal *terminal, const struct canvas *canvas, bool anew)
{
    ask_for_marks(terminal, true);
    if (anew)
        clearok(curscr, TRUE);
    erase();
    for (unsigned row = 0; row < canvas->rows; row++)
        put_row(terminal, canvas, row);
    move((int)canvas->cursor_row, (int)canvas->cursor_column);
    terminal_rescue_let_end(true); /* a terminal that takes nothing keeps us here */
    refresh();
    terminal_rescue_let_end(false);
}

/* --- keys --- */

static const struct {
    wint_t code;
    const char *spelling;
} named_keys[] = {{KEY_UP, "Up"},        {KEY_DOWN, "Down"},           {KEY_LEFT, "Left"}, {KEY_RIGHT, "Right"},
                  {KEY_PPAGE, "PageUp"}, {KEY_NPAGE, "PageDown"},      {KEY_HOME, "Home"}, {KEY_END, "End"},
                  {KEY_ENTER, "Enter"},  {KEY_BACKSPACE, "Backspace"}, {KEY_DC, "Delete"}, {KEY_IC, "Insert"},
                  {KEY_BTAB, "BackTab"}};
static const struct {
    wint_t code;
    const char *spelling;
} named_characters[] = {{'\n', "Enter"}, {'\r', "Enter"},    {'\t', "Tab"},   {27, "Esc"},
                        {' ', "Space"},  {127, "Backspace"}, {8, "Backspace"}};

static bool spell_function(wint_t code, char *out, size_t size)
{
    for (size_t i = 0; i < sizeof named_keys / sizeof *named_keys; i++)
        if (named_keys[i].code == code)
            return snprintf(out, size, "%s", named_keys[i].spelling) > 0;
    if (code > KEY_F0 && code <= KEY_F(24))
        return snprintf(out, size, "F%u", (unsigned)(code - KEY_F0)) > 0;
    return false;
}

static bool spell_character(wint_t code, char *out, size_t size)
{
    for (size_t i = 0; i < sizeof named_characters / sizeof *named_characters; i++)
        if (named_characters[i].code == code)
            return snprintf(out, size, "%s", named_characters[i].spelling) > 0;
    if (code < ' ')
        return snprintf(out, size, "^%c", (char)(code + '@')) > 0;
    return snprintf(out, size, "%lc", code) > 0;
}

static bool spell_mouse(struct press *out)
{
    MEVENT event;
    if (getmouse(&event) != OK)
        return false;
    out->row = event.y > 0 ? (unsigned)event.y : 0;
    snprintf(out->spelling, sizeof out->spelling, "%s",
             event.bstate & BUTTON4_PRESSED                       ? "WheelUp"
             : event.bstate & BUTTON5_PRESSED                     ? "WheelDown"
             : event.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED) ? "Click"
                                                                  : "");
    return *out->spelling != 0;
}

/* Whether it is a mark around what is pasted. */
static bool take_mark(struct terminal *terminal, wint_t code)
{
    bool mark = code == KEY_PASTE_BEGINS || code == KEY_PASTE_ENDS;
    terminal->pastes = mark ? code == KEY_PASTE_BEGINS : terminal->pastes;
    return mark;
}

bool terminal_read(struct terminal *terminal, struct press *out)
{
    wint_t code;
    int kind;
    while ((kind = wget_wch(terminal->keys, &code)) != ERR) { /* what means nothing is passed over */
        if (kind == KEY_CODE_YES && take_mark(terminal, code))
            continue;
        *out = (struct press){.pasted = terminal->pastes};
        if (kind == KEY_CODE_YES && code == KEY_MOUSE ? spell_mouse(out)
            : kind == KEY_CODE_YES                    ? spell_function(code, out->spelling, sizeof out->spelling)
                                                      : spell_character(code, out->spelling, sizeof out->spelling))
            return true;
    }
    return false;
}

void terminal_drop_typed(struct terminal *terminal)
{
    (void)terminal;
    flushinp();
}

/* Whether reading it says that it has ended. A byte that came meanwhile is kept. */
static bool has_ended(FILE *input)
{
    unsigned char byte;
    ssize_t length = read(fileno(input), &byte, 1);
    if (length > 0)
        ungetch(byte);
    return length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR);
}

bool terminal_is_gone(const struct terminal *terminal)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    int bytes = 0;
    if (poll(&input, 1, 0) <= 0)
        return false;
    if ((input.revents & (POLLHUP | POLLERR | POLLNVAL)) || ioctl(STDIN_FILENO, FIONREAD, &bytes))
        return true;
    return bytes == 0 && (!terminal->input || has_ended(terminal->input));
}

bool terminal_mouse(struct terminal *terminal)
{
    terminal->mouse = !terminal->mouse;
    mouseinterval(0);
    mousemask(terminal->mouse ? BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, NULL);
    terminal_rescue_disarm();
    prepare_rescue(terminal);
    return terminal->mouse;
}
