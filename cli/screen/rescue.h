/* What puts a terminal back as it was when this program ends by a fault (SIGSEGV, abort, SIGQUIT): a handler that
 * writes what was prepared, and lets the signal have its way. Nothing can be done about SIGKILL. */
#ifndef GANNET_CLI_SCREEN_RESCUE_H
#define GANNET_CLI_SCREEN_RESCUE_H

#include <stddef.h>
#include <termios.h>

/* From here on. `sequences` are written to the terminal `fd`, whose settings become `before`. */
void rescue_arm(int fd, const char *sequences, const struct termios *before);
void rescue_disarm(void);

#endif
