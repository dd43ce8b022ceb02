/* Whether other machines can find this one by its name; see doctor.h. */
#include "cli/doctor/doctor.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LISTEN_ADVICE "workers on other nodes need `gannet run --listen tcp://ADDRESS:*` with an address they can reach"

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr) >> 24 == 127;
    return address->sa_family == AF_INET6 &&
           IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr);
}

static void show_address(const struct sockaddr *address, socklen_t size, char *out, size_t capacity)
{
    if (getnameinfo(address, size, out, (socklen_t)capacity, NULL, 0, NI_NUMERICHOST))
        *out = '\0';
}

/* Whether a socket at this address hears one that connects to it; false with errno. Both are of this process: nothing
 * waits for anybody else. */
static bool can_connect(const struct sockaddr *address, socklen_t size)
{
    struct sockaddr_storage bound = {0};
    socklen_t bound_size = sizeof bound;
    int listener = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0),
        caller = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr *at = (struct sockaddr *)(void *)&bound;
    bool works = listener >= 0 && caller >= 0 && bind(listener, address, size) == 0 && listen(listener, 1) == 0 &&
                 getsockname(listener, at, &bound_size) == 0 && connect(caller, at, bound_size) == 0;
    int why = errno;
    close(listener);
    close(caller);
    errno = why;
    return works;
}

static void look_at_address(struct doctor *doctor, const char *name, const struct addrinfo *found)
{
    char address[128];
    show_address(found->ai_addr, found->ai_addrlen, address, sizeof address);
    if (!can_connect(found->ai_addr, found->ai_addrlen))
        doctor_add(doctor, HEALTH_NOTE, "network", LISTEN_ADVICE, "%s is %s, where this machine is not reached: %s",
                   name, address, strerror(errno));
    else if (is_loopback(found->ai_addr))
        doctor_add(doctor, HEALTH_NOTE, "network", LISTEN_ADVICE,
                   "%s is %s, by which this machine alone reaches itself", name, address);
    else
        doctor_add(doctor, HEALTH_OK, "network", NULL, "%s is %s, and connections to it arrive", name, address);
}

static void look_at_name(struct doctor *doctor)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    int code = getaddrinfo(name, NULL, &hints, &found);
    if (code)
        doctor_add(doctor, HEALTH_NOTE, "network", LISTEN_ADVICE, "nobody knows the name %s: %s", name,
                   gai_strerror(code));
    else
        look_at_address(doctor, name, found);
    if (found)
        freeaddrinfo(found);
}

static socklen_t size_of(int family)
{
    return family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
}

/* "eth0 10.0.0.7, ib0 10.1.0.7": those that are up and not the loopback. */
static void look_at_interfaces(struct doctor *doctor)
{
    struct ifaddrs *all = NULL;
    struct buf text = {0};
    char address[128];
    getifaddrs(&all);
    for (const struct ifaddrs *at = all; at; at = at->ifa_next) {
        int family = at->ifa_addr ? at->ifa_addr->sa_family : AF_UNSPEC;
        if (!(at->ifa_flags & IFF_UP) || (family != AF_INET && family != AF_INET6) || is_loopback(at->ifa_addr))
            continue;
        show_address(at->ifa_addr, size_of(family), address, sizeof address);
        buf_format(&text, "%s%s %s", text.length ? ", " : "", at->ifa_name, address);
    }
    doctor_add(doctor, HEALTH_OK, "interfaces", NULL, "%s", text.length ? buf_str(&text) : "the loopback alone");
    buf_fini(&text);
    if (all)
        freeifaddrs(all);
}

void doctor_network(struct doctor *doctor)
{
    look_at_name(doctor);
    look_at_interfaces(doctor);
}
