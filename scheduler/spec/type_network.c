/* Types of the section `network`: an interface or a subnet, and a range of ports; see key.h. */
#include "scheduler/spec/type.h"
#include "common/mem.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- interfaces --- */

static bool is_interface(const char *text)
{
    size_t length = strlen(text);
    for (const char *at = text; *at; at++)
        if (!isgraph((unsigned char)*at) || strchr("/\\\"'", *at))
            return false;
    return length && length < IF_NAMESIZE;
}

/* 10.1.0.0/16 */
static bool is_subnet(const char *text)
{
    struct in_addr address;
    char whole[INET_ADDRSTRLEN];
    const char *slash = strchr(text, '/');
    size_t length = slash ? (size_t)(slash - text) : sizeof whole;
    if (length >= sizeof whole || !isdigit((unsigned char)slash[1]) || strlen(slash + 1) > 2 ||
        strspn(slash + 1, "0123456789") != strlen(slash + 1) || strtoul(slash + 1, NULL, 10) > 32)
        return false;
    memcpy(whole, text, length);
    whole[length] = '\0';
    return inet_pton(AF_INET, whole, &address) == 1;
}

static void interface_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    char **at = KEY_AT(owner, key->offset, char *);
    if (!is_interface(node->text) && !is_subnet(node->text)) {
        problem_say(reading->problems, PROBLEM_BAD_VALUE, node->mark, "write the name of one, such as ib0, or a subnet",
                    "%s: '%.80s' is neither the name of an interface nor an IPv4 subnet such as 10.1.0.0/16",
                    key_show(reading, key).text, node->text);
        return;
    }
    free(*at);
    *at = mem_text(node->text);
}

static bool interface_write(const struct key *key, const void *owner, struct buf *out)
{
    return type_text.write(key, owner, out);
}

const struct key_type type_interface = {"an interface or a subnet such as ib0 or 10.1.0.0/16",
                                        TAKES_TEXT,
                                        interface_read,
                                        interface_write,
                                        .schema = "{'type': 'string', 'minLength': 1}",
                                        .fini = type_fini_text};

/* --- ports --- */

/* "40000-40100" */
static bool take_ports(const char *text, struct spec_ports *out)
{
    unsigned first, last;
    int end = 0;
    bool digits = strspn(text, "0123456789-") == strlen(text) && strlen(text) <= strlen("65535-65535");
    if (!digits || sscanf(text, "%5u-%5u%n", &first, &last, &end) != 2 || text[end])
        return false;
    *out = (struct spec_ports){first, last};
    return true;
}

static void ports_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    struct spec_ports ports;
    struct key_shown shown = key_show(reading, key);
    if (!take_ports(node->text, &ports))
        problem_say(reading->problems, PROBLEM_BAD_VALUE, node->mark,
                    "write the first and the last, such as 40000-40100", "%s: '%.80s' is no range of ports", shown.text,
                    node->text);
    else if (!ports.first || ports.last > UINT16_MAX || ports.last <= ports.first)
        problem_say(reading->problems, PROBLEM_BAD_RANGE, node->mark,
                    "every search that runs on a node needs two: for its workers, and for commands",
                    "%s: %u-%u is no range of at least two ports from 1 to 65535", shown.text, ports.first, ports.last);
    else
        *KEY_AT(owner, key->offset, struct spec_ports) = ports;
}

static bool ports_write(const struct key *key, const void *owner, struct buf *out)
{
    const struct spec_ports *ports = KEY_AT_CONST(owner, key->offset, struct spec_ports);
    if (ports->last)
        buf_format(out, "%u-%u", ports->first, ports->last);
    return ports->last;
}

const struct key_type type_ports = {"a range of ports such as 40000-40100", TAKES_TEXT | TAKES_NUMBER, ports_read,
                                    ports_write, .schema = "{'type': 'string', 'pattern': '^[0-9]{1,5}-[0-9]{1,5}$'}"};
