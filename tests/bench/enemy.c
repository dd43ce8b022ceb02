/* A member of the group who has a pass and wants to do more than look.
 *
 *     build/bench/enemy PASS flood SECONDS     thirty connections ask how it stands, as often as they are answered
 *     build/bench/enemy PASS costly SECONDS    the same with questions that cost much to read
 *     build/bench/enemy PASS long SECONDS      questions of 64 KiB, and longer ones
 *     build/bench/enemy PASS forged SECONDS    commands, workers' messages, and bytes that are none
 *     build/bench/enemy PASS slow SECONDS      a hundred connections ask for much and never read
 *     build/bench/enemy PASS knock SECONDS     connections that show no key, as many as there are descriptors
 *
 * It says how many answers came, and how many of these were refusals. tests/bench/enemy leads it. */
#include "common/clock.h"
#include "common/link.h"
#include "common/mem.h"
#include "common/msg.h"
#include "scheduler/rundir/pass.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ASKING = 30, SLOW = 100, LONG = 60 << 10, KNOCKS = 4000 };

struct enemy {
    struct link_context *context;
    struct discovery at;
    struct key_pair key;
    struct link *links[SLOW];
    uint64_t asked, answered, refused;
    double until;
};

static void check(bool failed, const struct err *err)
{
    if (!failed)
        return;
    fprintf(stderr, "enemy: %s\n", err->text);
    exit(1);
}

static void connect_all(struct enemy *enemy, int count)
{
    struct err err;
    for (int i = 0; i < count; i++)
        check(!(enemy->links[i] =
                    link_connect(enemy->context, enemy->at.control, &enemy->key, enemy->at.public_key, &err)),
              &err);
}

static bool say(struct enemy *enemy, struct link *link, const struct msg *msg)
{
    struct buf bytes = {0};
    msg_encode(msg, &bytes);
    bool said = link_send(link, 0, bytes.data, bytes.length) == LINK_OK;
    enemy->asked += said;
    buf_fini(&bytes);
    return said;
}

static bool ask(struct enemy *enemy, struct link *link, const char *what, const char *arguments)
{
    struct msg msg = {.kind = MSG_ASK, .ask = {.what = what, .arguments = arguments}};
    return say(enemy, link, &msg);
}

static void take_answers(struct enemy *enemy, struct link *link)
{
    uint64_t peer;
    struct buf bytes = {0};
    while (link_receive(link, &peer, &bytes) == LINK_OK) {
        struct msg msg;
        enemy->answered++;
        if (msg_decode(&msg, bytes.data, bytes.length, NULL))
            continue;
        enemy->refused += msg.kind == MSG_ANSWER && msg.answer.status;
        msg_fini(&msg);
    }
    buf_fini(&bytes);
}

static const char *const costly[] = {
    "{\"function\":\"trials\",\"curve\":true}",
    "{\"function\":\"trials\",\"by_value\":true}",
    "{\"function\":\"numbers\",\"order\":\"param.x1\"}",
    "{\"function\":\"phases\"}",
    "{\"function\":\"verdicts\"}",
    "{\"function\":\"experiment\"}",
    "{\"function\":\"events\"}",
    "{\"function\":\"facts\",\"members\":[\"params\",\"metrics\",\"profile\",\"node\"]}",
};

static const char *const commands[] = {"stop", "cancel", "drain", "ignore", "add", "share", "until", "worker_dead"};

/* One question of a kind; each differs from the others, so that no answer is given again. */
static void ask_something(struct enemy *enemy, struct link *link, const char *how)
{
    enum { COSTLY = sizeof costly / sizeof *costly, COMMANDS = sizeof commands / sizeof *commands };
    uint64_t number = enemy->asked;
    if (strcmp(how, "flood") == 0) {
        ask(enemy, link, "status", "{\"workers\":false}");
    } else if (strcmp(how, "costly") == 0 || strcmp(how, "slow") == 0) {
        const char *one = costly[how[0] == 's' ? 1 : number % COSTLY];
        char *text = mem_format("%.*s,\"no\":%llu}", (int)strlen(one) - 1, one, (unsigned long long)number);
        ask(enemy, link, "read", text);
        free(text);
    } else if (strcmp(how, "long") == 0) {
        size_t length = number % 8 ? LONG : 2 * LONG;
        char *text = mem_zero(length + 1, 1);
        memset(text, number % 2 ? '[' : ' ', length);
        ask(enemy, link, "read", text);
        free(text);
    } else if (number % 3 == 0) {
        ask(enemy, link, commands[number / 3 % COMMANDS], "{\"trial\":1,\"pid\":1,\"until\":1.0,\"why\":\"stopped\"}");
    } else if (number % 3 == 1) {
        say(enemy, link, &(struct msg){.kind = MSG_HEARTBEAT});
    } else {
        enemy->asked += link_send(link, 0, &number, sizeof number) == LINK_OK;
    }
}

static void ask_often(struct enemy *enemy, const char *how)
{
    connect_all(enemy, ASKING);
    while (clock_monotonic() < enemy->until) {
        uint64_t before = enemy->asked + enemy->answered;
        for (int i = 0; i < ASKING; i++) {
            take_answers(enemy, enemy->links[i]);
            if (enemy->asked < enemy->answered + 4 * ASKING || strcmp(how, "forged") == 0)
                ask_something(enemy, enemy->links[i], how);
        }
        if (enemy->asked + enemy->answered == before)
            poll(NULL, 0, 1);
    }
}

/* Asks again and again and reads nothing. */
static void ask_and_not_read(struct enemy *enemy)
{
    connect_all(enemy, SLOW);
    while (clock_monotonic() < enemy->until) {
        for (int i = 0; i < SLOW; i++)
            ask_something(enemy, enemy->links[i], "slow");
        poll(NULL, 0, 50);
    }
}

static void knock(struct enemy *enemy)
{
    static int fds[KNOCKS];
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)atoi(strrchr(enemy->at.control, ':') + 1)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (int i = 0; clock_monotonic() < enemy->until; i = (i + 1) % KNOCKS) {
        if (fds[i])
            close(fds[i]);
        fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        (void)!connect(fds[i], (struct sockaddr *)&to, sizeof to);
        enemy->asked++;
        if (i % 10 == 0)
            poll(NULL, 0, 1);
    }
}

int main(int count, char **arguments)
{
    struct err err = {"usage: enemy PASS flood|costly|long|forged|slow|knock SECONDS"};
    struct rundir dir;
    static struct enemy enemy;
    check(count != 4, &err);
    const char *how = arguments[2];
    rundir_name(arguments[1], &dir);
    check(pass_read(&dir, &enemy.at, &enemy.key, &err) != 0, &err);
    check(!(enemy.context = link_context_create(&err)), &err);
    enemy.until = clock_monotonic() + strtod(arguments[3], NULL);
    if (strcmp(how, "slow") == 0)
        ask_and_not_read(&enemy);
    else if (strcmp(how, "knock") == 0)
        knock(&enemy);
    else
        ask_often(&enemy, how);
    printf("%s: %llu asked, %llu answered, %llu of these refusals\n", how, (unsigned long long)enemy.asked,
           (unsigned long long)enemy.answered, (unsigned long long)enemy.refused);
    fflush(stdout);
    _exit(0);
}
