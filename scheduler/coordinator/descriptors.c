/* See descriptors.h. */
#include "scheduler/coordinator/descriptors.h"

#include "common/log.h"
#include "common/mem.h"

#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* At some 5,000 connections a second no more come between two looks than a quarter of the smallest limit in use
 * (1,024). */
static const double look_seconds = 0.04;

struct descriptors {
    struct loop *loop;
    struct loop_watch *timer;
    struct link *links[DESCRIPTORS_LINKS];
    size_t count;     /* of links */
    rlim_t limit;     /* descriptors that this process may have */
    rlim_t most;      /* eighths of them with which the links pause */
    bool paused;      /* the links take no connections */
    uint64_t *pauses; /* so far; the caller's */
};

/* The number of the lowest free one; descriptors are given out densely, so about as many are in use. */
static rlim_t count_used(const struct descriptors *descriptors)
{
    int fd = fcntl(link_fd(descriptors->links[0]), F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return descriptors->limit;
    close(fd);
    return (rlim_t)fd;
}

static void pause_links(struct descriptors *descriptors)
{
    for (size_t i = 0; i < descriptors->count; i++)
        link_pause(descriptors->links[i]);
    descriptors->paused = true;
    ++*descriptors->pauses;
}

static void say_few_left(const struct descriptors *descriptors, rlim_t used)
{
    log_warning(
        "%llu of %llu file descriptors are in use: no connections are taken at %s until some are free again; if these "
        "are your workers, raise the limit (ulimit -n) and start the coordinator anew",
        (unsigned long long)used, (unsigned long long)descriptors->limit, link_endpoint(descriptors->links[0]));
}

static void say_crowded(const struct descriptors *descriptors)
{
    log_warning("%d people look, or knock, at %s: no more connections are taken there until some of them have left",
                (int)LINK_CONNECTIONS, link_endpoint(descriptors->links[0]));
}

static void resume_links(struct descriptors *descriptors)
{
    for (size_t i = 0; i < descriptors->count; i++)
        link_resume(descriptors->links[i]);
    descriptors->paused = false;
    log_info("connections are taken again at %s", link_endpoint(descriptors->links[0]));
}

static void look_at_descriptors(void *context)
{
    struct descriptors *descriptors = context;
    rlim_t used = count_used(descriptors), eighth = descriptors->limit / 8;
    size_t connections = link_connections(descriptors->links[0]);
    bool few = used >= eighth * descriptors->most, crowded = connections >= LINK_CONNECTIONS;
    if ((few || crowded) && !descriptors->paused) {
        pause_links(descriptors);
        if (few)
            say_few_left(descriptors, used);
        else
            say_crowded(descriptors);
    } else if (used < eighth * (descriptors->most - 1) && connections < LINK_CONNECTIONS * 7 / 8 &&
               descriptors->paused) {
        resume_links(descriptors);
    }
    descriptors->timer = loop_timer(descriptors->loop, look_seconds, look_at_descriptors, descriptors);
}

struct descriptors *descriptors_watch(struct loop *loop, struct link *const *links, size_t count,
                                      enum descriptors_most most, uint64_t *pauses)
{
    struct rlimit limit;
    assert(count && count <= DESCRIPTORS_LINKS);
    struct descriptors *descriptors = MEM_NEW(struct descriptors);
    descriptors->loop = loop;
    descriptors->count = count;
    descriptors->most = most;
    descriptors->pauses = pauses;
    for (size_t i = 0; i < count; i++)
        descriptors->links[i] = links[i];
    descriptors->limit = getrlimit(RLIMIT_NOFILE, &limit) ? 1024 : limit.rlim_cur;
    look_at_descriptors(descriptors);
    return descriptors;
}

void descriptors_leave(struct descriptors *descriptors)
{
    if (descriptors)
        loop_remove(descriptors->timer);
    free(descriptors);
}
