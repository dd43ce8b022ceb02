/* What comes over the connections of a run on several nodes: to who listens where they meet (first byte even), and to a
 * member of the ring (odd). Whoever knows the secret comes in and nobody else; whatever a neighbour sends, the member
 * goes on or says what was wrong.
 *
 * A client of the meeting: a byte - whether it signs as one who knows the secret does, and how it is cut off - and
 * what it says. */
#include "common/buf.h"
#include "tests/fuzz_seeds.h"
#include "worker/collective/meeting_words.h"
#include "worker/collective/tcp_ring.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SECRET "0123456789abcdef0123456789abcdef"

enum { CLIENTS = 5, NUMBERS = 12, GATHERED = 8, TOLD = 40 };

static void require(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "fuzz_collective: %s\n", what);
    abort();
}

/* --- the meeting --- */

/* Who connects. */
struct client {
    int fd;
    bool signs, said;
    size_t length; /* of what it says, which may be less or more than is due */
    struct meeting_challenge challenge;
    struct meeting_joining joining;
};

struct party {
    struct meeting meeting;
    struct client clients[CLIENTS];
    size_t count;
    bool all_said;
};

static void speak(const struct party *party, struct client *client)
{
    char words[2 * sizeof client->joining] = {0};
    if (recv(client->fd, &client->challenge, sizeof client->challenge, MSG_DONTWAIT) != sizeof client->challenge)
        return;
    require(meeting_challenge_is_ours(&client->challenge), "a challenge that is none");
    if (client->signs)
        meeting_sign_joining(&party->meeting, party->meeting.member, &client->challenge, &client->joining,
                             client->joining.mac);
    memcpy(words, &client->joining, sizeof client->joining);
    client->said = true;
    if (send(client->fd, words, client->length, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        client->length = 0;
    if (client->length < sizeof client->joining)
        shutdown(client->fd, SHUT_WR);
}

/* Asked at each turn: the clients do what they can; once all have spoken there is one more. */
static bool is_over(void *context)
{
    struct party *party = context;
    bool before = party->all_said;
    party->all_said = true;
    for (size_t i = 0; i < party->count; i++) {
        if (!party->clients[i].said)
            speak(party, &party->clients[i]);
        party->all_said = party->all_said && party->clients[i].said;
    }
    return before;
}

static int listen_somewhere(struct sockaddr_un *address, socklen_t *length)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    *length = sizeof *address;
    require(fd >= 0 && bind(fd, (struct sockaddr *)address, sizeof(sa_family_t)) == 0 && listen(fd, CLIENTS) == 0 &&
                getsockname(fd, (struct sockaddr *)address, length) == 0,
            "there is nowhere to listen");
    return fd;
}

static void connect_client(struct client *client, const struct sockaddr_un *address, socklen_t length,
                           const uint8_t *data, size_t size)
{
    client->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    require(connect(client->fd, (const struct sockaddr *)address, length) == 0, "nobody can connect");
    client->signs = data[0] & 1;
    client->length = data[0] & 2 ? data[0] >> 2 : sizeof client->joining;
    memcpy(&client->joining, data + 1, size - 1 < sizeof client->joining ? size - 1 : sizeof client->joining);
}

/* The members whose right words were said in whole. */
static uint32_t count_members(const struct party *party)
{
    uint32_t seen = 0;
    for (size_t i = 0; i < party->count; i++) {
        const struct client *one = &party->clients[i];
        const struct meeting_joining *joining = &one->joining;
        bool right = one->signs && one->length >= sizeof *joining && joining->trial == party->meeting.trial &&
                     joining->attempt == party->meeting.attempt && joining->members == party->meeting.members &&
                     joining->member < party->meeting.members && joining->port <= UINT16_MAX;
        seen |= right ? 1u << joining->member : 0;
    }
    return seen;
}

static void meet(const uint8_t *data, size_t size)
{
    struct party party = {.meeting = {.member = data[0] >> 1 & 1,
                                      .members = 2 + (data[0] >> 2) % 3,
                                      .address = "a socket",
                                      .secret = SECRET,
                                      .trial = 3,
                                      .attempt = 1,
                                      .patience = 60,
                                      .is_halted = is_over}};
    int sockets[4] = {-1, -1, -1, -1};
    struct sockaddr_un address;
    struct err err = {""};
    socklen_t length;
    int listener = listen_somewhere(&address, &length);
    enum { WORD = 1 + sizeof(struct meeting_joining) };
    party.meeting.context = &party;
    for (data++, size--; size && party.count < CLIENTS; party.count++) {
        size_t some = size < WORD ? size : WORD;
        connect_client(&party.clients[party.count], &address, length, data, some);
        data += some;
        size -= some;
    }
    int result = meeting_receive(&party.meeting, listener, 1e300, sockets, &err);
    uint32_t member = party.meeting.member, all = (1u << party.meeting.members) - 1,
             due = member ? 1u << (member - 1) : all & ~1u;
    require(result == 0 || result == MEETING_HALTED, "a meeting that fails before its time");
    require(result || (count_members(&party) & due) == due, "somebody came in without the secret");
    for (size_t i = 0; i < 4; i++)
        if (sockets[i] >= 0)
            close(sockets[i]);
    for (size_t i = 0; i < party.count; i++)
        close(party.clients[i].fd);
    close(listener);
}

/* --- the ring --- */

static jmp_buf ended;

static void on_lost(void *context, uint32_t member, const char *sentence)
{
    (void)context;
    require(member == 1 && *sentence, "a member is lost without a sentence");
    longjmp(ended, 1);
}

static void go_around(struct tcp_ring *ring)
{
    float first[5] = {1, 2, 3, 4, 5}, last[NUMBERS - 5] = {0};
    const struct tcp_ring_piece pieces[] = {{first, 5}, {NULL, 0}, {last, NUMBERS - 5}};
    char all[2 * GATHERED] = {0}, told[TOLD] = {0};
    if (setjmp(ended))
        return;
    tcp_ring_sum(ring, pieces, 3);
    tcp_ring_gather(ring, all, GATHERED);
    tcp_ring_tell(ring, 1, told, TOLD);
}

static void hear_neighbour(const uint8_t *data, size_t size)
{
    int ends[2];
    require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0, "there is no connection");
    if (size > 1 && send(ends[1], data + 1, size - 1, MSG_NOSIGNAL) < 0)
        size = 1;
    shutdown(ends[1], SHUT_WR);
    struct tcp_ring *ring =
        tcp_ring_create(&(struct tcp_ring_setup){.members = 2, .next = ends[0], .before = ends[0], .lost = on_lost});
    go_around(ring);
    tcp_ring_destroy(ring);
    close(ends[1]);
}

/* --- seeds --- */

static void add_part(struct buf *out, uint32_t what, uint32_t number, uint64_t length)
{
    static const char zeros[TOLD];
    buf_add(out, &what, sizeof what);
    buf_add(out, &number, sizeof number);
    buf_add(out, &length, sizeof length);
    buf_add(out, zeros, length);
}

static void write_seeds(void)
{
    struct buf bytes = {0};
    struct meeting_joining joining = {.trial = 3, .attempt = 1, .member = 1, .members = 3, .port = 4000};
    buf_add(&bytes, "\1", 1);
    add_part(&bytes, 1, 0, NUMBERS / 2 * sizeof(float));
    add_part(&bytes, 1, 1, NUMBERS / 2 * sizeof(float));
    add_part(&bytes, 2, 2, GATHERED);
    add_part(&bytes, 3, 3, TOLD);
    fuzz_seed("ring", bytes.data, bytes.length);
    buf_clear(&bytes);
    buf_add(&bytes, "\4", 1);
    for (int i = 0; i < 2; i++, joining.member++) {
        buf_add(&bytes, "\1", 1);
        buf_add(&bytes, &joining, sizeof joining);
    }
    fuzz_seed("meeting", bytes.data, bytes.length);
    buf_fini(&bytes);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    require(sodium_init() >= 0, "libsodium does not start");
    write_seeds();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size)
        (data[0] % 2 ? hear_neighbour : meet)(data, size);
    return 0;
}
