/* Which description of a terminal (terminfo) the screen uses. A machine one comes to by ssh often has none of the
 * terminal in front of one, though that understands what one it knows does. */
#ifndef GANNET_CLI_SCREEN_DESCRIPTION_H
#define GANNET_CLI_SCREEN_DESCRIPTION_H

/* The description that a terminal of this name (TERM) understands as well: "xterm-256color" for "xterm-kitty". NULL:
 * none is known. */
const char *description_alike(const char *term);

#endif
