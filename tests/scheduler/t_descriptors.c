/* A flood of connections at a process that may have few descriptors. */
#include "scheduler/coordinator/descriptors.h"
#include "tests/pair.h"
#include "tests/until.h"

#include "common/clock.h"
#include "common/mem.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* More connections than there are descriptors, a thousand a second: from the pause on, at three quarters of the limit,
 * a loop that waits for a processor has a quarter of a second until none is left. */
enum { LIMIT = 1024, FLOODERS = 4, CONNECTIONS = 300 };
static const double each_seconds = 0.004, held_seconds = 2;

static void sleep_until(double at)
{
    double left = at - clock_monotonic();
    if (left > 0)
        usleep((useconds_t)(left * 1e6));
}

/* Connects, says nothing, and begins anew. What it has it holds for longer than it takes to come by, so that all of
 * them together have most of theirs, however they follow one another; and it makes up for when it had no processor,
 * since who says nothing is put out after two seconds. */
static void flood(uint16_t port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close_range(3, ~0u, 0); /* among them the listener */
    for (;;) {
        double since = clock_monotonic();
        int connections[CONNECTIONS];
        for (int i = 0; i < CONNECTIONS; i++) {
            connections[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
            (void)!connect(connections[i], (struct sockaddr *)&to, sizeof to);
            sleep_until(since + each_seconds * (i + 1));
        }
        sleep_until(since + each_seconds * CONNECTIONS + held_seconds);
        for (int i = 0; i < CONNECTIONS; i++)
            close(connections[i]);
    }
}

struct stage {
    struct pair tcp; /* its bound side is flooded; one is connected to it from the start */
    struct link *local, *asking;
    struct loop *loop;
    struct descriptors *descriptors;
    uint64_t pauses;
    pid_t flooders[FLOODERS];
    bool answered;
};

static void begin_flood(struct stage *stage)
{
    uint16_t port = (uint16_t)atoi(strrchr(link_endpoint(stage->tcp.bound), ':') + 1);
    for (int i = 0; i < FLOODERS; i++)
        if ((stage->flooders[i] = fork()) == 0)
            flood(port);
}

/* Their connections stay. */
static void hold_flood(struct stage *stage)
{
    for (int i = 0; i < FLOODERS; i++) {
        kill(stage->flooders[i], SIGSTOP);
        waitpid(stage->flooders[i], NULL, WUNTRACED);
    }
}

static void end_flood(struct stage *stage)
{
    for (int i = 0; i < FLOODERS; i++) {
        kill(stage->flooders[i], SIGKILL);
        waitpid(stage->flooders[i], NULL, 0);
    }
}

static bool has_paused(void *context)
{
    return ((struct stage *)context)->pauses >= 3;
}

/* Asks over the local socket until something arrives there. */
static bool is_heard(void *context)
{
    struct stage *stage = context;
    struct buf bytes = {0};
    uint64_t peer;
    bool read, write;
    (void)link_send(stage->asking, 0, "status", 6);
    link_ready(stage->local, &read, &write);
    bool heard = link_receive(stage->local, &peer, &bytes) == LINK_OK;
    buf_fini(&bytes);
    return heard;
}

static void a_flood_leaves_descriptors_for_those_who_belong_here(void **state)
{
    struct stage stage = {.loop = loop_create()};
    struct err err;
    char *endpoint = mem_format("ipc://%s", path_in(state, "socket"));
    pair_open_tcp(&stage.tcp);
    pair_talk(&stage.tcp);
    stage.local = pair_bind(&stage.tcp, endpoint, &err);
    stage.descriptors = descriptors_watch(stage.loop, &stage.tcp.bound, 1, DESCRIPTORS_WORKERS, &stage.pauses);
    begin_flood(&stage);
    until(stage.loop, has_paused, &stage);
    hold_flood(&stage);
    stage.asking = link_connect(stage.tcp.context, endpoint, &stage.tcp.client, stage.tcp.server.public, &err);
    until(stage.loop, is_heard, &stage);
    pair_talk(&stage.tcp); /* who was there before is still connected */
    end_flood(&stage);
    link_close(stage.asking);
    stage.asking = link_connect(stage.tcp.context, link_endpoint(stage.tcp.bound), &stage.tcp.client,
                                stage.tcp.server.public, &err);
    link_close(stage.local);
    stage.local = stage.tcp.bound;
    until(stage.loop, is_heard, &stage); /* the listener is back */
    link_close(stage.asking);
    descriptors_leave(stage.descriptors);
    loop_destroy(stage.loop);
    pair_close(&stage.tcp);
    free(endpoint);
}

static void viewers_leave_descriptors_for_workers(void **state)
{
    enum { USED = LIMIT / 8 * 5 };
    struct stage stage = {.loop = loop_create()}, workers = {0};
    struct err err;
    int filled[LIMIT], count = 0;
    (void)state;
    pair_open_tcp(&stage.tcp);
    pair_open_tcp(&workers.tcp);
    while ((filled[count] = dup(STDERR_FILENO)) < USED)
        count++;
    stage.descriptors = descriptors_watch(stage.loop, &stage.tcp.bound, 1, DESCRIPTORS_VIEWERS, &stage.pauses);
    workers.descriptors = descriptors_watch(stage.loop, &workers.tcp.bound, 1, DESCRIPTORS_WORKERS, &workers.pauses);
    assert_int_equal(stage.pauses, 1);
    assert_int_equal(workers.pauses, 0);
    pair_talk(&workers.tcp);
    for (int i = 0; i <= count; i++)
        close(filled[i]);
    stage.asking = link_connect(stage.tcp.context, link_endpoint(stage.tcp.bound), &stage.tcp.client,
                                stage.tcp.server.public, &err);
    stage.local = stage.tcp.bound;
    until(stage.loop, is_heard, &stage);
    link_close(stage.asking);
    descriptors_leave(stage.descriptors);
    descriptors_leave(workers.descriptors);
    loop_destroy(stage.loop);
    pair_close(&workers.tcp);
    pair_close(&stage.tcp);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_flood_leaves_descriptors_for_those_who_belong_here, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test(viewers_leave_descriptors_for_workers),
    };
    struct rlimit limit = {LIMIT, LIMIT};
    setrlimit(RLIMIT_NOFILE, &limit);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
