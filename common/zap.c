/* The ZAP handler; see zap.h.
 *
 * The conversation, over inproc inside the process: libzmq asks with the frames version, request, domain, address,
 * routing id, mechanism, key; the handler answers version, request, status, text, user, metadata. It ends when the
 * context is shut down: that wakes it with ETERM. */
#include "common/zap.h"
#include "common/clock.h"
#include "common/keys.h"
#include "common/log.h"
#include "common/mem.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

enum { KEY_BYTES = 32 };

/* The keys of one bound socket. */
struct domain {
    struct domain *next;
    char *name;
    unsigned char (*keys)[KEY_BYTES];
    size_t count;
    struct zap_refusals refusals;
};

struct zap {
    void *socket; /* REP at the address that libzmq asks; the thread's own after the start */
    pthread_t thread;
    pthread_mutex_t lock;   /* guards domains */
    struct domain *domains; /* all that may be asked about, and who was refused there */
    double last_log;        /* when a refusal was logged last */
    unsigned long unlogged; /* refusals since */
};

/* The frames of a request, in their order. */
enum { VERSION, REQUEST, DOMAIN, ADDRESS, ROUTING_ID, MECHANISM, KEY, FRAMES };

/* One frame; longer ones than any honest frame are cut, which makes them match nothing. */
struct zap_frame {
    char bytes[256];
    size_t length;
};

static bool is_text(const struct zap_frame *frame, const char *text)
{
    return frame->length == strlen(text) && memcmp(frame->bytes, text, frame->length) == 0;
}

/* Which of the keys that may connect it is, from 0; -1: none of them. */
static int find_key(struct zap *zap, const struct zap_frame *frames)
{
    int found = -1;
    pthread_mutex_lock(&zap->lock);
    for (const struct domain *domain = zap->domains; domain; domain = domain->next)
        for (size_t i = 0; i < domain->count && is_text(&frames[DOMAIN], domain->name); i++)
            if (found < 0 && memcmp(frames[KEY].bytes, domain->keys[i], KEY_BYTES) == 0)
                found = (int)i;
    pthread_mutex_unlock(&zap->lock);
    return found;
}

static void count_refusal(struct zap *zap, const struct zap_frame *frames)
{
    const struct zap_frame *address = &frames[ADDRESS];
    pthread_mutex_lock(&zap->lock);
    for (struct domain *domain = zap->domains; domain; domain = domain->next) {
        if (!is_text(&frames[DOMAIN], domain->name))
            continue;
        struct zap_refusals *refusals = &domain->refusals;
        refusals->count++;
        refusals->last = clock_monotonic();
        snprintf(refusals->address, sizeof refusals->address, "%.*s", (int)address->length, address->bytes);
    }
    pthread_mutex_unlock(&zap->lock);
}

/* At most one line a second: whoever knocks over and over must not fill the disk. */
static void log_refusal(struct zap *zap, const struct zap_frame *frames)
{
    double now = clock_monotonic();
    if (zap->last_log != 0 && now - zap->last_log < 1) {
        zap->unlogged++;
        return;
    }
    log_warning("refused a connection from %.*s: its key is not one that may connect (%lu more since the last line)",
                (int)frames[ADDRESS].length, frames[ADDRESS].bytes, zap->unlogged);
    zap->last_log = now;
    zap->unlogged = 0;
}

/* Reads one request; how many frames it has, or -1 with errno. */
static int receive_request(void *socket, struct zap_frame *frames)
{
    struct zap_frame rest;
    int more = 1, count = 0;
    for (size_t size = sizeof more; more; count++) {
        struct zap_frame *frame = count < FRAMES ? &frames[count] : &rest;
        int length = zmq_recv(socket, frame->bytes, sizeof frame->bytes, 0);
        if (length < 0)
            return -1;
        frame->length = (size_t)length < sizeof frame->bytes ? (size_t)length : sizeof frame->bytes;
        zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size);
    }
    return count;
}

/* The name of a user is the number of the key: every message of the connection will carry it. */
static void answer_request(void *socket, const struct zap_frame *request, int key)
{
    char user[12] = "";
    const char *status = key >= 0 ? "200" : "400";
    if (key >= 0)
        snprintf(user, sizeof user, "%d", key);
    zmq_send(socket, "1.0", 3, ZMQ_SNDMORE);
    zmq_send(socket, request->bytes, request->length, ZMQ_SNDMORE);
    zmq_send(socket, status, 3, ZMQ_SNDMORE);
    zmq_send(socket, "", 0, ZMQ_SNDMORE);
    zmq_send(socket, user, strlen(user), ZMQ_SNDMORE);
    zmq_send(socket, "", 0, 0);
}

static void *handle_requests(void *argument)
{
    struct zap *zap = argument;
    pthread_setname_np(pthread_self(), "zap");
    for (;;) {
        struct zap_frame frames[FRAMES] = {0};
        int count = receive_request(zap->socket, frames);
        if (count < 0 && errno == ETERM)
            break;
        if (count < 0)
            continue;
        bool whole = count == FRAMES && is_text(&frames[VERSION], "1.0") && is_text(&frames[MECHANISM], "CURVE") &&
                     frames[KEY].length == KEY_BYTES;
        int key = whole ? find_key(zap, frames) : -1;
        if (key < 0) {
            count_refusal(zap, frames);
            log_refusal(zap, frames);
        }
        answer_request(zap->socket, &frames[REQUEST], key);
    }
    zmq_close(zap->socket);
    return NULL;
}

/* The thread takes no signals: they belong to the loops. */
static int start_thread(struct zap *zap)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int why = pthread_create(&zap->thread, NULL, handle_requests, zap);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return why;
}

struct zap *zap_start(void *zmq_context, struct err *err)
{
    struct zap *zap = MEM_NEW(struct zap);
    pthread_mutex_init(&zap->lock, NULL);
    zap->socket = zmq_socket(zmq_context, ZMQ_REP);
    if (!zap->socket || zmq_bind(zap->socket, "inproc://zeromq.zap.01")) {
        err_write(err, "can't start the check of keys: %s", zmq_strerror(errno));
    } else if ((errno = start_thread(zap))) {
        err_write_errno(err, "can't start the thread that checks keys");
    } else {
        return zap;
    }
    if (zap->socket)
        zmq_close(zap->socket);
    pthread_mutex_destroy(&zap->lock);
    free(zap);
    return NULL;
}

static void free_domain(struct domain *domain)
{
    free(domain->name);
    free(domain->keys);
    free(domain);
}

void zap_stop(struct zap *zap)
{
    if (!zap)
        return;
    pthread_join(zap->thread, NULL);
    for (struct domain *domain = zap->domains, *next; domain; domain = next) {
        next = domain->next;
        free_domain(domain);
    }
    pthread_mutex_destroy(&zap->lock);
    free(zap);
}

int zap_allow(struct zap *zap, const char *name, const char *const *keys, size_t count, struct err *err)
{
    struct domain *domain = MEM_NEW(struct domain);
    domain->name = mem_text(name);
    domain->keys = mem_zero(count, KEY_BYTES);
    domain->count = count;
    for (size_t i = 0; i < count; i++)
        if (strlen(keys[i]) != KEY_TEXT - 1 || !zmq_z85_decode(domain->keys[i], keys[i])) {
            free_domain(domain);
            return err_set(err, "'%s' is no public key; a key is 40 letters of Z85", keys[i]);
        }
    pthread_mutex_lock(&zap->lock);
    domain->next = zap->domains;
    zap->domains = domain;
    pthread_mutex_unlock(&zap->lock);
    return 0;
}

int zap_key_of(void *frame)
{
    const char *user = zmq_msg_gets(frame, "User-Id");
    char *end = NULL;
    long number = user && *user ? strtol(user, &end, 10) : -1;
    return number < 0 || number > INT16_MAX || *end ? -1 : (int)number;
}

struct zap_refusals zap_refusals(struct zap *zap, const char *name)
{
    struct zap_refusals refusals = {0};
    pthread_mutex_lock(&zap->lock);
    for (const struct domain *domain = zap->domains; domain; domain = domain->next)
        if (strcmp(domain->name, name) == 0)
            refusals = domain->refusals;
    pthread_mutex_unlock(&zap->lock);
    return refusals;
}

void zap_forget(struct zap *zap, const char *name)
{
    pthread_mutex_lock(&zap->lock);
    for (struct domain **at = &zap->domains, *domain; (domain = *at);)
        if (strcmp(domain->name, name) == 0) {
            *at = domain->next;
            free_domain(domain);
        } else {
            at = &domain->next;
        }
    pthread_mutex_unlock(&zap->lock);
}
