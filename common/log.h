/* The log of a long-running program: one line an event, to stderr (which the run directory's logs/ receives):
 *
 *     2026-11-20T14:02:11.123Z info  worker: slot 1 runs trial 131
 *
 * Never for what a person asked to see; that is the cli's. */
#ifndef GANNET_COMMON_LOG_H
#define GANNET_COMMON_LOG_H

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR };

/* Names this program in its lines and sets the lowest level that is written; before it nothing is written. */
void log_open(const char *program, enum log_level lowest);

/* "debug", "info", "warning", "error" to a level; -1 otherwise. */
int log_level_named(const char *name);

void log_line(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define log_debug(...)   log_line(LOG_DEBUG, __VA_ARGS__)
#define log_info(...)    log_line(LOG_INFO, __VA_ARGS__)
#define log_warning(...) log_line(LOG_WARNING, __VA_ARGS__)
#define log_error(...)   log_line(LOG_ERROR, __VA_ARGS__)

#endif
