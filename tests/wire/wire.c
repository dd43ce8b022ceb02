/* A bad network between two network namespaces, for end-to-end tests: packets go from one to the other through this
 * program, which loses, delays and reorders them, and resets connections. So the kernel's own TCP lives through what it
 * is made for, on kernels without netem, too.
 *
 *     wire PID-A PID-B SEED <commands      a device `wire0` in the namespace of each of the two processes
 *
 *     loss A B         so many percent of the packets that A and B send are lost
 *     delay MS JITTER  each packet takes MS milliseconds and up to JITTER more, so that they overtake each other
 *     reset MS         for so long each packet of a TCP connection ends that: both sides get a RST
 *
 * It ends with its standard input. Carried out commands are repeated on the standard output.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST = 2048, MOST_HELD = 4096 };

struct packet {
    double due; /* when it goes on, on the monotonic clock */
    int to;     /* the side that gets it */
    size_t length;
    unsigned char bytes[LARGEST];
};

struct wire {
    int side[2];                    /* the devices */
    int loss[2];                    /* percent of what the side sends */
    double delay, jitter;           /* seconds */
    double reset_until;             /* on the monotonic clock */
    struct packet *held[MOST_HELD]; /* in no order */
    size_t count;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "wire: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* --- the devices --- */

static int open_side(const char *pid)
{
    char path[64];
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    snprintf(path, sizeof path, "/proc/%s/ns/net", pid);
    int space = open(path, O_RDONLY | O_CLOEXEC);
    if (space < 0 || setns(space, CLONE_NEWNET))
        fail("can't enter the network namespace");
    close(space);
    int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    strcpy(request.ifr_name, "wire0");
    if (fd < 0 || ioctl(fd, TUNSETIFF, &request))
        fail("can't make a device");
    return fd;
}

/* --- resets --- */

static uint32_t add_words(const void *bytes, size_t length, uint32_t sum)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i + 1 < length; i += 2)
        sum += (uint32_t)(at[i] << 8 | at[i + 1]);
    return length % 2 ? sum + (uint32_t)(at[length - 1] << 8) : sum;
}

static uint16_t fold(uint32_t sum)
{
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return htons((uint16_t)~sum);
}

/* RFC 9293, 3.5.2: a reset is believed when its number is the one that is expected next. */
static void send_reset(int fd, uint32_t from, uint32_t to, uint16_t from_port, uint16_t to_port, uint32_t seq,
                       uint32_t ack)
{
    struct {
        struct iphdr ip;
        struct tcphdr tcp;
    } reset = {.ip = {.version = 4,
                      .ihl = 5,
                      .ttl = 64,
                      .protocol = IPPROTO_TCP,
                      .saddr = from,
                      .daddr = to,
                      .tot_len = htons(sizeof reset)},
               .tcp = {.source = from_port,
                       .dest = to_port,
                       .seq = htonl(seq),
                       .ack_seq = htonl(ack),
                       .doff = 5,
                       .rst = 1,
                       .ack = 1}};
    reset.ip.check = fold(add_words(&reset.ip, sizeof reset.ip, 0));
    uint32_t sum = add_words(&reset.ip.saddr, 8, IPPROTO_TCP + sizeof reset.tcp);
    reset.tcp.check = fold(add_words(&reset.tcp, sizeof reset.tcp, sum));
    (void)!write(fd, &reset, sizeof reset);
}

/* Whether it was a packet of a connection that is established, which both sides are told is no more. */
static bool reset_connection(struct wire *wire, int from, const unsigned char *bytes, size_t length)
{
    struct iphdr ip;
    struct tcphdr tcp;
    if (length < sizeof ip + sizeof tcp)
        return false;
    memcpy(&ip, bytes, sizeof ip);
    memcpy(&tcp, bytes + ip.ihl * 4, sizeof tcp);
    if (ip.version != 4 || ip.protocol != IPPROTO_TCP || tcp.syn || !tcp.ack)
        return false;
    uint32_t data = (uint32_t)(length - ip.ihl * 4U - tcp.doff * 4U), seq = ntohl(tcp.seq), ack = ntohl(tcp.ack_seq);
    send_reset(wire->side[!from], ip.saddr, ip.daddr, tcp.source, tcp.dest, seq, ack);
    send_reset(wire->side[from], ip.daddr, ip.saddr, tcp.dest, tcp.source, ack, seq + data);
    return true;
}

/* --- packets --- */

static void hold_packet(struct wire *wire, int to, const unsigned char *bytes, size_t length)
{
    if (wire->count == MOST_HELD)
        return;
    struct packet *packet = malloc(sizeof *packet);
    if (!packet)
        fail("out of memory");
    packet->due = now() + wire->delay + wire->jitter * drand48();
    packet->to = to;
    packet->length = length;
    memcpy(packet->bytes, bytes, length);
    wire->held[wire->count++] = packet;
}

static void take_packets(struct wire *wire, int from)
{
    unsigned char bytes[LARGEST];
    for (ssize_t got; (got = read(wire->side[from], bytes, sizeof bytes)) > 0;) {
        if (lrand48() % 100 < wire->loss[from])
            continue;
        if (now() < wire->reset_until && reset_connection(wire, from, bytes, (size_t)got))
            continue;
        if (wire->delay + wire->jitter > 0)
            hold_packet(wire, !from, bytes, (size_t)got);
        else
            (void)!write(wire->side[!from], bytes, (size_t)got);
    }
}

/* Sends on what is due; the milliseconds until the next is, -1: none waits. */
static int release_packets(struct wire *wire)
{
    double at = now(), next = -1;
    for (size_t i = 0; i < wire->count;) {
        struct packet *packet = wire->held[i];
        if (packet->due > at) {
            next = next < 0 || packet->due < next ? packet->due : next;
            i++;
            continue;
        }
        (void)!write(wire->side[packet->to], packet->bytes, packet->length);
        free(packet);
        wire->held[i] = wire->held[--wire->count];
    }
    return next < 0 ? -1 : (int)((next - at) * 1e3) + 1;
}

/* --- commands --- */

static void obey(struct wire *wire, const char *line)
{
    int a, b;
    if (sscanf(line, "loss %d %d", &a, &b) == 2) {
        wire->loss[0] = a;
        wire->loss[1] = b;
    } else if (sscanf(line, "delay %d %d", &a, &b) == 2) {
        wire->delay = a / 1e3;
        wire->jitter = b / 1e3;
    } else if (sscanf(line, "reset %d", &a) == 1) {
        wire->reset_until = now() + a / 1e3;
    } else {
        fprintf(stderr, "wire: what is '%s'? It takes loss A B, delay MS JITTER, reset MS\n", line);
        return;
    }
    printf("%s\n", line);
    fflush(stdout);
}

/* False at the end of the commands. Whoever writes them writes whole lines. */
static bool take_commands(struct wire *wire)
{
    char text[512];
    ssize_t got = read(STDIN_FILENO, text, sizeof text - 1);
    if (got <= 0)
        return false;
    text[got] = '\0';
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        obey(wire, line);
    return true;
}

int main(int argc, char **argv)
{
    static struct wire wire;
    if (argc != 4) {
        fprintf(stderr, "Usage: wire PID-A PID-B SEED <commands\n");
        return 2;
    }
    wire.side[0] = open_side(argv[1]);
    wire.side[1] = open_side(argv[2]);
    srand48(atol(argv[3]));
    printf("ready\n");
    fflush(stdout);
    struct pollfd fds[] = {{STDIN_FILENO, POLLIN, 0}, {wire.side[0], POLLIN, 0}, {wire.side[1], POLLIN, 0}};
    for (;;) {
        if (poll(fds, 3, release_packets(&wire)) < 0 && errno != EINTR)
            fail("can't wait");
        if (fds[0].revents && !take_commands(&wire))
            return 0;
        for (int side = 0; side < 2; side++)
            take_packets(&wire, side);
    }
}
