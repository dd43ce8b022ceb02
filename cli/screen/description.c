/* Descriptions of terminals; see description.h. */
#include "cli/screen/description.h"

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

const char *description_alike(const char *term)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strncmp(term, families[i].begins, strlen(families[i].begins)) == 0)
            return families[i].alike;
    return NULL;
}
