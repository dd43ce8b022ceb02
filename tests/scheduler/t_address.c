/* Which address others are told. */
#include "scheduler/coordinator/address.h"
#include "tests/claims.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <stdint.h>
#include <string.h>

enum { UP = IFF_UP | IFF_RUNNING };

struct interface {
    const char *name, *address;
    unsigned flags;
};

enum { MOST = 8 };

/* A list as the system gives it. */
struct machine {
    struct sockaddr_storage addresses[MOST];
    struct ifaddrs all[MOST];
};

static const struct ifaddrs *machine_of(const struct interface *list, size_t count, struct machine *out)
{
    struct sockaddr_storage *addresses = out->addresses;
    struct ifaddrs *all = out->all;
    *out = (struct machine){0};
    assert_true(count <= MOST);
    for (size_t i = 0; i < count; i++) {
        struct sockaddr_in four = {.sin_family = AF_INET};
        struct sockaddr_in6 six = {.sin6_family = AF_INET6};
        if (inet_pton(AF_INET, list[i].address, &four.sin_addr) == 1)
            memcpy(&addresses[i], &four, sizeof four);
        else if (inet_pton(AF_INET6, list[i].address, &six.sin6_addr) == 1)
            memcpy(&addresses[i], &six, sizeof six);
        else
            fail_msg("%s is no address", list[i].address);
        all[i].ifa_name = (char *)(uintptr_t)list[i].name;
        all[i].ifa_addr = (struct sockaddr *)(void *)&addresses[i];
        all[i].ifa_flags = list[i].flags;
        all[i].ifa_next = i + 1 < count ? &all[i + 1] : NULL;
    }
    return count ? all : NULL;
}

/* What is chosen among these. */
static const char *chosen(const struct interface *list, size_t count)
{
    static char out[ADDRESS_SIZE];
    struct machine machine;
    return address_of_interfaces(machine_of(list, count, &machine), out);
}

#define CHOSEN(...)                                                                                                    \
    chosen((const struct interface[]){__VA_ARGS__},                                                                    \
           sizeof((const struct interface[]){__VA_ARGS__}) / sizeof(struct interface))

#define LOOPBACK                                                                                                       \
    {                                                                                                                  \
        "lo", "127.0.0.1", UP | IFF_LOOPBACK                                                                           \
    }

static void without_a_network_it_is_this_machine_alone(void **state)
{
    (void)state;
    assert_string_equal(chosen(NULL, 0), "127.0.0.1");
    assert_string_equal(CHOSEN(LOOPBACK, {"lo", "127.0.0.2", UP | IFF_LOOPBACK}), "127.0.0.1");
}

static void the_network_goes_before_the_loopback(void **state)
{
    (void)state;
    assert_string_equal(CHOSEN(LOOPBACK, {"eth0", "192.0.2.7", UP}), "192.0.2.7");
}

static void the_first_of_several_networks_is_taken(void **state)
{
    (void)state;
    assert_string_equal(CHOSEN({"eth0", "192.0.2.7", UP}, {"ib0", "198.51.100.7", UP}), "192.0.2.7");
}

static void an_interface_that_is_down_is_none(void **state)
{
    (void)state;
    assert_string_equal(CHOSEN({"eth0", "192.0.2.7", 0}, {"eth1", "192.0.2.8", IFF_UP}, {"ib0", "198.51.100.7", UP}),
                        "198.51.100.7");
}

static void networks_of_containers_come_last(void **state)
{
    (void)state;
    assert_string_equal(CHOSEN({"docker0", "172.17.0.1", UP}, {"eth0", "192.0.2.7", UP}), "192.0.2.7");
    assert_string_equal(CHOSEN(LOOPBACK, {"docker0", "172.17.0.1", UP}), "172.17.0.1");
}

static void an_address_that_was_given_by_nobody_is_the_last_resort(void **state)
{
    (void)state;
    assert_string_equal(CHOSEN({"eth0", "169.254.3.4", UP}, {"docker0", "172.17.0.1", UP}), "172.17.0.1");
    assert_string_equal(CHOSEN(LOOPBACK, {"eth0", "169.254.3.4", UP}), "169.254.3.4");
}

static void addresses_of_ipv6_are_passed_over(void **state)
{
    (void)state;
    assert_string_equal(CHOSEN({"eth0", "2001:db8::7", UP}, {"eth0", "192.0.2.7", UP}), "192.0.2.7");
    assert_string_equal(CHOSEN({"eth0", "2001:db8::7", UP}), "127.0.0.1");
}

static void an_interface_without_an_address_is_passed_over(void **state)
{
    (void)state;
    char out[ADDRESS_SIZE], name[] = "tun0";
    struct ifaddrs tunnel = {.ifa_name = name, .ifa_flags = UP};
    assert_string_equal(address_of_interfaces(&tunnel, out), "127.0.0.1");
}

static void a_name_that_nobody_knows_is_not_told(void **state)
{
    (void)state;
    char out[ADDRESS_SIZE];
    struct in_addr number;
    assert_int_equal(inet_pton(AF_INET, address_to_tell("no-such-host.invalid", out), &number), 1);
    assert_int_equal(inet_pton(AF_INET, address_to_tell("localhost", out), &number), 1);
}

static const struct interface node[] = {LOOPBACK,
                                        {"eth0", "192.0.2.7", UP},
                                        {"ib0", "2001:db8::7", UP},
                                        {"ib0", "198.51.100.200", UP},
                                        {"ib1", "203.0.113.1", 0}};

/* Where a coordinator on that node listens; NULL: there is no such interface. */
static const char *found(const char *wanted)
{
    static char out[ADDRESS_SIZE];
    struct machine machine;
    return address_at(machine_of(node, sizeof node / sizeof *node, &machine), wanted, out);
}

static void an_interface_is_found_by_its_name(void **state)
{
    (void)state;
    assert_string_equal(found("ib0"), "198.51.100.200");
    assert_null(found("ib"));
    assert_null(found("ib1")); /* it is down */
}

static void an_interface_is_found_by_its_subnet(void **state)
{
    (void)state;
    assert_string_equal(found("198.51.100.0/24"), "198.51.100.200");
    assert_string_equal(found("198.51.100.128/25"), "198.51.100.200");
    assert_null(found("198.51.100.0/25"));
    assert_string_equal(found("192.0.2.7/32"), "192.0.2.7");
    assert_string_equal(found("0.0.0.0/0"), "127.0.0.1");
}

static void the_list_has_what_is_up(void **state)
{
    (void)state;
    struct machine machine;
    struct buf out = {0};
    address_list(machine_of(node, sizeof node / sizeof *node, &machine), &out);
    assert_string_equal(buf_str(&out), "lo (127.0.0.1), eth0 (192.0.2.7), ib0 (198.51.100.200)");
    buf_fini(&out);
    address_list(NULL, &out);
    assert_string_equal(buf_str(&out), "none");
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_network_it_is_this_machine_alone),
        cmocka_unit_test(the_network_goes_before_the_loopback),
        cmocka_unit_test(the_first_of_several_networks_is_taken),
        cmocka_unit_test(an_interface_that_is_down_is_none),
        cmocka_unit_test(networks_of_containers_come_last),
        cmocka_unit_test(an_address_that_was_given_by_nobody_is_the_last_resort),
        cmocka_unit_test(addresses_of_ipv6_are_passed_over),
        cmocka_unit_test(an_interface_without_an_address_is_passed_over),
        cmocka_unit_test(an_interface_is_found_by_its_name),
        cmocka_unit_test(an_interface_is_found_by_its_subnet),
        cmocka_unit_test(the_list_has_what_is_up),
        cmocka_unit_test(a_name_that_nobody_knows_is_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
