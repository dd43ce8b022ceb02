/* Nodes that meet: they find each other whoever else connects, nobody joins without the secret, and who is missing is
 * named. */
#include "tests/claims.h"
#include "worker/collective/meeting_words.h"
#include "worker/collective/tcp_ring.h"
#include "worker/program/gang_env.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECRET "0123456789abcdef0123456789abcdef"

static struct meeting meeting_of(uint32_t member, uint32_t members, uint16_t port)
{
    return (struct meeting){.member = member,
                            .members = members,
                            .address = "127.0.0.1",
                            .port = port,
                            .secret = SECRET,
                            .trial = 3,
                            .attempt = 1,
                            .patience = 60};
}

/* Holds it in another process, whose exit status says how that went: 0, MEETING_HALTED, or 9. */
static pid_t start_member(const struct meeting *meeting)
{
    pid_t pid = fork();
    int next, before;
    struct err err;
    if (pid)
        return pid;
    int result = meeting_hold(meeting, &next, &before, &err);
    if (result == 0 && meeting->member + 1 == meeting->members) /* what the last one says, the first one hears */
        result = send(next, "x", 1, 0) == 1 ? 0 : 8;
    char byte;
    if (result == 0 && meeting->member == 0)
        fcntl(before, F_SETFL, 0);
    if (result == 0 && meeting->member == 0)
        result = recv(before, &byte, 1, 0) == 1 && byte == 'x' ? 0 : 8;
    _exit(result < 0 ? 9 : result);
}

static int await_member(pid_t pid)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static struct sockaddr_in place_of(uint16_t port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

/* A connection of somebody else's, once somebody listens there. */
static int connect_stranger(uint16_t port)
{
    struct sockaddr_in address = place_of(port);
    for (;;) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
            return fd;
        close(fd);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

static int listen_as_stranger(uint16_t port)
{
    struct sockaddr_in address = place_of(port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(fd, 10), 0);
    return fd;
}

static void all_members_meet(void **state)
{
    (void)state;
    for (uint32_t members = 2; members <= 5; members++) {
        pid_t pids[5];
        uint16_t port = gang_env_port();
        for (uint32_t member = 0; member < members; member++) {
            struct meeting meeting = meeting_of(member, members, port);
            pids[member] = start_member(&meeting);
        }
        for (uint32_t member = 0; member < members; member++)
            assert_int_equal(await_member(pids[member]), 0);
    }
}

/* Of three the last two listen, too; on one machine they do not find two ports in a range of one. */
static void all_listen_in_the_range_that_is_given(void **state)
{
    (void)state;
    pid_t pids[4];
    int taken = listen_as_stranger(gang_env_port());
    struct sockaddr_in place;
    socklen_t length = sizeof place;
    assert_int_equal(getsockname(taken, (struct sockaddr *)&place, &length), 0);
    struct meeting last = meeting_of(2, 3, 1);
    last.first_port = last.last_port = ntohs(place.sin_port);
    struct err err;
    int next, before;
    assert_int_equal(meeting_hold(&last, &next, &before, &err), -1);
    assert_has(err.text, "and this node can listen at none of them: ");
    assert_has(err.text, "Address already in use");
    uint16_t port = gang_env_port();
    for (uint32_t member = 0; member < 4; member++) {
        struct meeting meeting = meeting_of(member, 4, port);
        meeting.first_port = last.first_port;
        meeting.last_port = (uint16_t)(last.first_port + 20);
        pids[member] = start_member(&meeting);
    }
    for (uint32_t member = 0; member < 4; member++)
        assert_int_equal(await_member(pids[member]), 0);
    close(taken);
}

/* As runs of two searches do that were given one range of ports. */
static void a_port_that_another_run_still_meets_at_is_waited_for(void **state)
{
    (void)state;
    pid_t pids[2];
    uint16_t port = gang_env_port();
    int taken = listen_as_stranger(port);
    pid_t other = fork();
    if (other == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL); /* both try meanwhile */
        _exit(0);
    }
    close(taken);
    for (uint32_t member = 0; member < 2; member++) {
        struct meeting meeting = meeting_of(member, 2, port);
        pids[member] = start_member(&meeting);
    }
    for (uint32_t member = 0; member < 2; member++)
        assert_int_equal(await_member(pids[member]), 0);
    assert_int_equal(await_member(other), 0);
}

/* --- strangers --- */

/* Silent ones, some that say too little, and some that say nonsense: more than are let stand about. */
static void strangers_neither_join_nor_hold_anybody_up(void **state)
{
    (void)state;
    enum { STRANGERS = 150 };
    struct meeting first = meeting_of(0, 2, gang_env_port()), second = meeting_of(1, 2, first.port);
    pid_t host = start_member(&first);
    int fds[STRANGERS];
    struct meeting_joining nonsense;
    memset(&nonsense, 0xab, sizeof nonsense);
    for (int i = 0; i < STRANGERS; i++) {
        fds[i] = connect_stranger(first.port);
        if (i % 3)
            send(fds[i], &nonsense, i % 3 == 1 ? 10 : sizeof nonsense, MSG_NOSIGNAL);
    }
    pid_t guest = start_member(&second);
    assert_int_equal(await_member(guest), 0);
    assert_int_equal(await_member(host), 0);
    for (int i = 0; i < STRANGERS; i++)
        close(fds[i]);
}

static void who_has_another_secret_or_run_is_not_let_in(void **state)
{
    (void)state;
    struct meeting first = meeting_of(0, 2, gang_env_port()), right = meeting_of(1, 2, first.port), wrong[3];
    for (int i = 0; i < 3; i++) {
        wrong[i] = right;
        wrong[i].patience = 0.5;
    }
    wrong[0].secret = "0123456789abcdef0123456789abcdeF";
    wrong[1].attempt = 2;
    wrong[2].trial = 4;
    pid_t host = start_member(&first);
    close(connect_stranger(first.port)); /* it listens */
    for (int i = 0; i < 3; i++)
        assert_int_equal(await_member(start_member(&wrong[i])), 9);
    assert_int_equal(await_member(start_member(&right)), 0);
    assert_int_equal(await_member(host), 0);
}

/* Says a first word, hears an answer, and welcomes whom it can't know. */
static void pretend(int listener, bool well_spoken)
{
    struct meeting_challenge challenge = {0};
    struct meeting_joining joining;
    struct meeting_welcome welcome = {0};
    if (well_spoken)
        challenge = meeting_challenge();
    int fd = accept(listener, NULL, NULL);
    send(fd, &challenge, sizeof challenge, MSG_NOSIGNAL);
    if (well_spoken)
        recv(fd, &joining, sizeof joining, MSG_WAITALL);
    send(fd, &welcome, sizeof welcome, MSG_NOSIGNAL);
    close(fd);
}

static void who_only_pretends_to_be_node_0_is_not_believed(void **state)
{
    (void)state;
    int next, before;
    struct err err = {0};
    struct meeting meeting = meeting_of(1, 2, gang_env_port());
    for (int well_spoken = 0; well_spoken < 2; well_spoken++) {
        int listener = listen_as_stranger(meeting.port);
        pid_t pid = fork();
        if (!pid)
            for (;;)
                pretend(listener, well_spoken);
        close(listener);
        meeting.patience = 0.5;
        assert_int_equal(meeting_hold(&meeting, &next, &before, &err), -1);
        assert_has(err.text, well_spoken ? "does not know the secret of the run" : "is no gannet of this version");
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
}

static void without_a_secret_nobody_is_met(void **state)
{
    (void)state;
    int next, before;
    struct err err;
    struct meeting meeting = meeting_of(0, 2, gang_env_port());
    meeting.secret = "short";
    assert_int_equal(meeting_hold(&meeting, &next, &before, &err), -1);
    assert_has(err.text, "no secret");
}

/* --- who is missing --- */

static void who_does_not_come_is_named(void **state)
{
    (void)state;
    int next, before;
    struct err err;
    struct meeting first = meeting_of(0, 3, gang_env_port()), second = meeting_of(1, 3, first.port);
    first.patience = second.patience = 0.2;
    assert_int_equal(meeting_hold(&first, &next, &before, &err), -1);
    assert_has(err.text, "node 1 of 3 did not come to 127.0.0.1, port ");
    assert_int_equal(meeting_hold(&second, &next, &before, &err), -1);
    assert_has(err.text, "node 1 of 3 did not reach node 0 at 127.0.0.1, port ");
    assert_has(err.text, "Connection refused");
}

static bool is_halted(void *context)
{
    int *asked = context;
    return ++*asked > 2;
}

static void who_is_to_end_waits_no_longer(void **state)
{
    (void)state;
    for (uint32_t member = 0; member < 2; member++) {
        int next, before, asked = 0;
        struct err err;
        struct meeting meeting = meeting_of(member, 2, gang_env_port());
        meeting.is_halted = is_halted;
        meeting.context = &asked;
        assert_int_equal(meeting_hold(&meeting, &next, &before, &err), MEETING_HALTED);
    }
}

/* --- a ring that breaks --- */

struct lost {
    char text[300];
};

static _Noreturn void tell_loss(void *context, uint32_t member, const char *sentence)
{
    int fd = *(int *)context;
    dprintf(fd, "%u: %s", member, sentence);
    _exit(9);
}

/* What member 1 of two says of member 0, which says so many bytes over its connection and then nothing more. */
static struct lost hear_of_loss(const void *bytes, size_t length)
{
    struct lost lost = {{0}};
    int link[2], words[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, link), 0);
    assert_int_equal(pipe(words), 0);
    pid_t pid = fork();
    if (!pid) {
        float numbers[100] = {0};
        struct tcp_ring_piece piece = {numbers, 100};
        close(link[0]);
        struct tcp_ring_setup setup = {
            .member = 1, .members = 2, .next = link[1], .before = link[1], .lost = tell_loss, .context = &words[1]};
        tcp_ring_sum(tcp_ring_create(&setup), &piece, 1);
        _exit(0);
    }
    close(words[1]);
    assert_int_equal(send(link[0], bytes, length, MSG_NOSIGNAL), length);
    shutdown(link[0], SHUT_WR);
    assert_int_equal(await_member(pid), 9);
    assert_true(read(words[0], lost.text, sizeof lost.text - 1) > 0);
    close(words[0]);
    close(link[0]);
    close(link[1]);
    return lost;
}

static void a_member_that_is_gone_is_named(void **state)
{
    (void)state;
    assert_string_equal(hear_of_loss("", 0).text, "0: it closed its connection");
    assert_string_equal(hear_of_loss("half", 4).text, "0: it closed its connection");
}

static void a_member_that_says_something_else_is_not_taken_at_its_word(void **state)
{
    (void)state;
    char garbage[64];
    memset(garbage, 0xff, sizeof garbage);
    assert_has(hear_of_loss(garbage, sizeof garbage).text, "where part 0, of kind 1 and 200 bytes, was due");
}

/* What Linux says of a connection to a process that has been stopped for minutes and reads nothing: its system is asked
 * for room at longer and longer intervals, and has answered each time. */
static void who_is_stopped_is_not_silent(void **state)
{
    (void)state;
    struct tcp_info info = {.tcpi_state = TCP_ESTABLISHED, .tcpi_backoff = 9, .tcpi_last_ack_recv = 100000};
    assert_false(tcp_ring_is_silent(&info));
    info.tcpi_probes = 1;
    assert_true(tcp_ring_is_silent(&info));
    info.tcpi_last_ack_recv = 59000;
    assert_false(tcp_ring_is_silent(&info));
    info = (struct tcp_info){.tcpi_state = TCP_ESTABLISHED, .tcpi_unacked = 3, .tcpi_last_ack_recv = 61000};
    assert_true(tcp_ring_is_silent(&info));
}

/* Three of a ring, of which one is killed in the middle of their sums. */
static void when_one_dies_all_are_told(void **state)
{
    (void)state;
    enum { MEMBERS = 3, COUNT = 100000 };
    pid_t pids[MEMBERS];
    uint16_t port = gang_env_port();
    for (uint32_t member = 0; member < MEMBERS; member++) {
        struct meeting meeting = meeting_of(member, MEMBERS, port);
        struct tcp_ring_setup setup = {.member = member, .members = MEMBERS, .lost = tell_loss};
        struct err err;
        if ((pids[member] = fork()))
            continue;
        int nowhere = open("/dev/null", O_WRONLY);
        setup.context = &nowhere;
        if (meeting_hold(&meeting, &setup.next, &setup.before, &err))
            _exit(8);
        struct tcp_ring *ring = tcp_ring_create(&setup);
        float *numbers = calloc(COUNT, sizeof *numbers);
        struct tcp_ring_piece pieces[] = {{numbers, COUNT / 3}, {numbers + COUNT / 3, COUNT - COUNT / 3}};
        for (int i = 0;; i++) {
            if (i == 50 && member == 1)
                _exit(7);
            tcp_ring_sum(ring, pieces, 2);
        }
    }
    assert_int_equal(await_member(pids[1]), 7);
    assert_int_equal(await_member(pids[0]), 9);
    assert_int_equal(await_member(pids[2]), 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_members_meet),
        cmocka_unit_test(all_listen_in_the_range_that_is_given),
        cmocka_unit_test(a_port_that_another_run_still_meets_at_is_waited_for),
        cmocka_unit_test(strangers_neither_join_nor_hold_anybody_up),
        cmocka_unit_test(who_has_another_secret_or_run_is_not_let_in),
        cmocka_unit_test(who_only_pretends_to_be_node_0_is_not_believed),
        cmocka_unit_test(without_a_secret_nobody_is_met),
        cmocka_unit_test(who_does_not_come_is_named),
        cmocka_unit_test(who_is_to_end_waits_no_longer),
        cmocka_unit_test(a_member_that_is_gone_is_named),
        cmocka_unit_test(a_member_that_says_something_else_is_not_taken_at_its_word),
        cmocka_unit_test(who_is_stopped_is_not_silent),
        cmocka_unit_test(when_one_dies_all_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
