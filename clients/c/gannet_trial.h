/* SPDX-License-Identifier: 0BSD
 *
 * A trial of gannet in a C program: its parameters, metrics, phases, checkpoints, and whether to stop. One header
 * without dependencies, C99 (or C++) and POSIX; docs/trial.md has the protocol.
 *
 *     #define _POSIX_C_SOURCE 200809L
 *     #include "gannet_trial.h"
 *
 *     struct gannet_trial trial;
 *     gannet_trial_open(&trial);
 *     double lr = gannet_trial_real(&trial, "lr", 0.1);           0.1: for runs by hand
 *     for (long step = 1; step <= 30; step++)
 *         if (gannet_trial_metric(&trial, "loss", train(lr), step))
 *             break;
 *     gannet_trial_close(&trial);
 *
 * Without gannet the same program prints what it measures and goes on; so it does when the worker can't be reached. A
 * struct is for one thread at a time. */
#ifndef GANNET_TRIAL_H
#define GANNET_TRIAL_H

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { GANNET_TRIAL_VERSION = 1, GANNET_TRIAL_PATIENCE = 10, GANNET_TRIAL_LINE = 4096 };

struct gannet_trial {
    int fd;                      /* the stream to the worker; -1: there is none, what is measured is printed */
    int is_silent;               /* nothing was said yet; the first word connects */
    long number;                 /* the trial's; 0: by hand */
    long rank;                   /* which of several processes this is: what the first (0) says counts */
    long until;                  /* the step after which to save a checkpoint and end; 0: none */
    double deadline;             /* when the time of the job is up, seconds since 1970; 0: not known */
    unsigned long long seed;     /* for its random numbers */
    const char *dir;             /* for its files */
    const char *restore_path;    /* a checkpoint to go on from, or NULL */
    const char *checkpoint_path; /* where to save checkpoints, or NULL; write beside it, then rename */
    int stop;                    /* it is to stop, */
    char reason[64];             /* because of this: "stopped_early", "walltime", ... */
    char unread[GANNET_TRIAL_LINE];
    size_t unread_length;
};

/* --- the stream --- */

static inline const char *gannet_trial_variable_(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* Whether a call was only interrupted by a signal of the program's, which may be one that comes all the time. */
static inline int gannet_trial_again_(ssize_t result, time_t begun)
{
    return result < 0 && errno == EINTR && time(NULL) - begun <= GANNET_TRIAL_PATIENCE;
}

/* Connects, and adds what is said first: who speaks. */
static inline void gannet_trial_connect_(struct gannet_trial *trial, char *out, size_t size)
{
    const char *path = gannet_trial_variable_("GANNET_SOCKET"), *token = gannet_trial_variable_("GANNET_TOKEN");
    struct sockaddr_un address;
    struct timeval patience;
    time_t begun = time(NULL);
    int result;
    memset(&address, 0, sizeof address);
    memset(&patience, 0, sizeof patience);
    address.sun_family = AF_UNIX;
    patience.tv_sec = GANNET_TRIAL_PATIENCE;
    if (!path || !token || strlen(path) >= sizeof address.sun_path || strlen(token) > 100)
        return;
    memcpy(address.sun_path, path, strlen(path) + 1);
    trial->fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (trial->fd < 0)
        return;
    result = setsockopt(trial->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (!result)
        result = setsockopt(trial->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (!result)
        do
            result = connect(trial->fd, (struct sockaddr *)&address, sizeof address);
        while (gannet_trial_again_(result, begun));
    if (result) {
        close(trial->fd);
        trial->fd = -1;
    }
    snprintf(out, size, "{\"gannet\":%d,\"token\":\"%s\",\"rank\":%ld}\n", GANNET_TRIAL_VERSION, token, trial->rank);
}

static inline int gannet_trial_send_all_(struct gannet_trial *trial, const char *text)
{
    size_t length = strlen(text);
    time_t begun = time(NULL);
    for (size_t done = 0; trial->fd >= 0 && done < length;) {
        ssize_t sent = send(trial->fd, text + done, length - done, MSG_NOSIGNAL);
        if (gannet_trial_again_(sent, begun))
            continue;
        if (sent <= 0) {
            close(trial->fd);
            trial->fd = -1;
        } else {
            done += (size_t)sent;
        }
    }
    return trial->fd >= 0 ? 0 : -1;
}

/* The first word goes with who speaks: one message, which has one answer. */
static inline int gannet_trial_send_first_(struct gannet_trial *trial, const char *line)
{
    char text[256 + GANNET_TRIAL_LINE];
    text[0] = '\0';
    gannet_trial_connect_(trial, text, 256);
    strcat(text, line);
    return gannet_trial_send_all_(trial, text);
}

static inline int gannet_trial_send_(struct gannet_trial *trial, const char *line)
{
    int is_first = trial->is_silent;
    trial->is_silent = 0;
    return is_first ? gannet_trial_send_first_(trial, line) : gannet_trial_send_all_(trial, line);
}

/* The next line of the worker into `line`, of GANNET_TRIAL_LINE bytes; -1: there comes none. */
static inline int gannet_trial_receive_(struct gannet_trial *trial, char *line)
{
    time_t begun = time(NULL);
    while (trial->fd >= 0) {
        char *end = (char *)memchr(trial->unread, '\n', trial->unread_length);
        if (end) {
            size_t length = (size_t)(end - trial->unread);
            memcpy(line, trial->unread, length);
            line[length] = '\0';
            trial->unread_length -= length + 1;
            memmove(trial->unread, end + 1, trial->unread_length);
            return 0;
        }
        size_t room = sizeof trial->unread - trial->unread_length;
        ssize_t length = room ? recv(trial->fd, trial->unread + trial->unread_length, room, 0) : -1;
        if (gannet_trial_again_(length, begun))
            continue;
        if (length <= 0) {
            close(trial->fd);
            trial->fd = -1;
        } else {
            trial->unread_length += (size_t)length;
        }
    }
    return -1;
}

/* Which process of several this is, as gannet or another launcher of such processes says. */
static inline long gannet_trial_rank_(void)
{
    static const char *const names[] = {"RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
    const char *launch = gannet_trial_variable_("GANNET_LAUNCH");
    int count = launch && strcmp(launch, "first") == 0 ? 5 : 2; /* else they may be the worker's own among workers */
    for (int i = 0; i < count; i++)
        if (gannet_trial_variable_(names[i]))
            return strtol(gannet_trial_variable_(names[i]), NULL, 10);
    return 0;
}

/* Adds a text as JSON has it, in quotes. */
static inline void gannet_trial_quote_(char *out, size_t size, const char *text)
{
    size_t at = strlen(out);
    if (at + 3 > size)
        return;
    out[at++] = '"';
    for (; *text && at + 3 < size; text++) {
        if (*text == '"' || *text == '\\')
            out[at++] = '\\';
        out[at++] = (unsigned char)*text < 32 ? ' ' : *text;
    }
    out[at++] = '"';
    out[at] = '\0';
}

/* A number as JSON has it; not finite ones are texts. A locale may write a comma in it. */
static inline void gannet_trial_number_(char *out, size_t size, double value)
{
    if (isnan(value))
        snprintf(out, size, "\"nan\"");
    else if (isinf(value))
        snprintf(out, size, value > 0 ? "\"inf\"" : "\"-inf\"");
    else
        snprintf(out, size, "%.17g", value);
    for (; *out; out++)
        if (*out == ',')
            *out = '.';
}

/* --- life --- */

/* Takes what the environment says; the worker is connected to with the first word. */
static inline void gannet_trial_open(struct gannet_trial *trial)
{
    const char *number = gannet_trial_variable_("GANNET_TRIAL"), *until = gannet_trial_variable_("GANNET_UNTIL");
    const char *deadline = gannet_trial_variable_("GANNET_DEADLINE"), *seed = gannet_trial_variable_("GANNET_SEED");
    memset(trial, 0, sizeof *trial);
    trial->fd = -1;
    trial->number = number ? strtol(number, NULL, 10) : 0;
    trial->rank = gannet_trial_rank_();
    trial->until = until ? strtol(until, NULL, 10) : 0;
    trial->deadline = deadline ? (double)strtoll(deadline, NULL, 10) : 0;
    trial->seed = seed ? strtoull(seed, NULL, 10) : 0;
    trial->dir = gannet_trial_variable_("GANNET_TRIAL_DIR") ? gannet_trial_variable_("GANNET_TRIAL_DIR") : ".";
    trial->restore_path = gannet_trial_variable_("GANNET_CHECKPOINT");
    trial->checkpoint_path = gannet_trial_variable_("GANNET_CHECKPOINT_OUT");
    trial->is_silent = trial->number != 0;
}

static inline void gannet_trial_close(struct gannet_trial *trial)
{
    trial->is_silent = 0;
    if (trial->fd >= 0)
        close(trial->fd);
    trial->fd = -1;
}

/* --- parameters --- */

/* The text of a parameter, or `fallback` when it has none. */
static inline const char *gannet_trial_text(const struct gannet_trial *trial, const char *name, const char *fallback)
{
    char variable[256] = "GANNET_PARAM_";
    (void)trial;
    if (strlen(name) + strlen(variable) >= sizeof variable)
        return fallback;
    for (size_t at = strlen(variable); *name; name++, at++) {
        variable[at] = isalnum((unsigned char)*name) ? *name : '_';
        variable[at + 1] = '\0';
    }
    return getenv(variable) ? getenv(variable) : fallback;
}

static inline double gannet_trial_real(const struct gannet_trial *trial, const char *name, double fallback)
{
    const char *text = gannet_trial_text(trial, name, NULL);
    return text ? strtod(text, NULL) : fallback;
}

static inline long gannet_trial_integer(const struct gannet_trial *trial, const char *name, long fallback)
{
    const char *text = gannet_trial_text(trial, name, NULL);
    return text ? strtol(text, NULL, 10) : fallback;
}

/* --- saying --- */

/* Adds the question whether to stop, after this step (-1: not said), as a line of its own. */
static inline void gannet_trial_add_question_(char *out, size_t size, long step)
{
    size_t at = strlen(out);
    if (step >= 0)
        snprintf(out + at, size - at, "{\"should_stop\":true,\"step\":%ld}\n", step);
    else
        snprintf(out + at, size - at, "{\"should_stop\":true}\n");
}

/* Reads the answer to that question; what is told before it (who this is, mistakes) is passed over. -1: there comes
 * none: the worker is gone, or does not know this trial. */
static inline int gannet_trial_hear_(struct gannet_trial *trial)
{
    char line[GANNET_TRIAL_LINE];
    do
        if (gannet_trial_receive_(trial, line))
            return -1;
    while (!strstr(line, "\"stop\":"));
    const char *reason = strstr(line, "\"reason\":\"");
    trial->stop = strstr(line, "\"stop\":true") != NULL;
    if (trial->stop && reason) {
        reason += strlen("\"reason\":\"");
        snprintf(trial->reason, sizeof trial->reason, "%.*s", (int)strcspn(reason, "\""), reason);
    }
    return 0;
}

/* Whether to stop, after this step (-1: not said): then `reason` says why. */
static inline int gannet_trial_should_stop(struct gannet_trial *trial, long step)
{
    char line[128] = "";
    gannet_trial_add_question_(line, sizeof line, step);
    if (!trial->stop && gannet_trial_send_(trial, line) == 0)
        gannet_trial_hear_(trial);
    return trial->stop;
}

/* Tells the value of a metric at a step (-1: one more than the last), and asks whether to stop. */
static inline int gannet_trial_metric(struct gannet_trial *trial, const char *name, double value, long step)
{
    char line[GANNET_TRIAL_LINE] = "{\"metric\":{", number[64], more[48] = "";
    gannet_trial_number_(number, sizeof number, value);
    gannet_trial_quote_(line, 2048, name);
    if (step >= 0)
        snprintf(more, sizeof more, ",\"step\":%ld", step);
    snprintf(line + strlen(line), sizeof line - strlen(line), ":%s}%s}\n", number, more);
    if (!trial->stop)
        gannet_trial_add_question_(line, sizeof line, step);
    if (gannet_trial_send_(trial, line) == 0 && (trial->stop || gannet_trial_hear_(trial) == 0))
        return trial->stop;
    if (step >= 0) /* a worker that is there reads it from here; twice it does not count */
        printf("%s=%g step=%ld\n", name, value, step);
    else
        printf("%s=%g\n", name, value);
    fflush(stdout);
    return trial->stop;
}

static inline void gannet_trial_say_name_(struct gannet_trial *trial, const char *what, const char *name)
{
    char line[GANNET_TRIAL_LINE];
    snprintf(line, sizeof line, "{\"%s\":", what);
    gannet_trial_quote_(line, 2048, name);
    strcat(line, "}\n");
    gannet_trial_send_(trial, line);
}

/* A phase begins, and ends: "data", "forward", ..., or a name of its own. */
static inline void gannet_trial_begin(struct gannet_trial *trial, const char *phase)
{
    gannet_trial_say_name_(trial, "begin", phase);
}

static inline void gannet_trial_end(struct gannet_trial *trial, const char *phase)
{
    gannet_trial_say_name_(trial, "end", phase);
}

/* A checkpoint was saved to checkpoint_path after this step. */
static inline void gannet_trial_saved(struct gannet_trial *trial, long step)
{
    char line[80];
    snprintf(line, sizeof line, "{\"checkpoint\":true,\"step\":%ld}\n", step < 0 ? 0 : step);
    gannet_trial_send_(trial, line);
}

#endif
