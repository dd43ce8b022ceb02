/* What puts a terminal back as it was when this program ends by a fault (SIGSEGV, abort, SIGQUIT), or is told to end
 * while the terminal takes nothing: a handler that writes what was prepared, as far as that is taken, and lets the
 * signal have its way. Nothing can be done about SIGKILL. */
#ifndef GANNET_CLI_SCREEN_TERMINAL_RESCUE_H
#define GANNET_CLI_SCREEN_TERMINAL_RESCUE_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

/* From here on. `sequences` are written to the terminal `fd`, whose settings become `before`. */
void terminal_rescue_arm(int fd, const char *sequences, const struct termios *before);
void terminal_rescue_disarm(void);

/* Around what is written to the terminal, which may have been stopped, or its connection: SIGTERM and SIGHUP, which the
 * caller has blocked to read them in its loop, end this program where it waits; false: they are blocked again. */
void terminal_rescue_let_end(bool may);

#endif
