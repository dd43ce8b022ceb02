/* Variables of gangs; see gang_env.h. */
#include "worker/program/gang_env.h"
#include "common/mem.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

static void add_number(struct texts *env, const char *name, uint64_t number)
{
    texts_add(env, mem_format("%s=%llu", name, (unsigned long long)number));
}

/* Where the processes meet: on one node nobody else needs to get there. */
static void add_meeting(const struct gang *gang, struct texts *env)
{
    const char *hosts = gang->hosts && gang->nodes > 1 ? gang->hosts : "127.0.0.1";
    texts_add(env, mem_format("MASTER_ADDR=%.*s", (int)strcspn(hosts, ","), hosts));
    add_number(env, "MASTER_PORT", gang->port);
}

static void add_gang(const struct gang *gang, struct texts *env)
{
    add_number(env, "GANNET_RANKS", (uint64_t)gang->ranks * gang->nodes);
    add_number(env, "GANNET_LOCAL_RANKS", gang->ranks);
    add_number(env, "GANNET_NODE", gang->node);
    add_number(env, "GANNET_NODES", gang->nodes);
    texts_add(env, mem_format("GANNET_HOSTS=%s", gang->hosts && gang->nodes > 1 ? gang->hosts : "localhost"));
}

/* As torchrun sets them: torch.distributed.init_process_group() needs no arguments, and Lightning and Accelerate take
 * them for its. */
static void add_rank(const struct run *run, uint32_t local, struct texts *env)
{
    const struct gang *gang = &run->gang;
    uint32_t rank = gang->node * gang->ranks + local;
    add_number(env, "RANK", rank);
    add_number(env, "LOCAL_RANK", local);
    add_number(env, "WORLD_SIZE", (uint64_t)gang->ranks * gang->nodes);
    add_number(env, "LOCAL_WORLD_SIZE", gang->ranks);
    add_number(env, "GROUP_RANK", gang->node);
    add_number(env, "GROUP_WORLD_SIZE", gang->nodes);
    add_number(env, "GANNET_RANK", rank);
    texts_add(env, mem_format("TORCHELASTIC_RUN_ID=gannet-%llu-%u", (unsigned long long)run->trial, run->attempt));
}

void gang_env_add(const struct task *task, const struct run *run, uint32_t local, struct texts *env)
{
    const struct gang *gang = &run->gang;
    if ((uint64_t)gang->ranks * gang->nodes < 2)
        return;
    add_gang(gang, env);
    add_meeting(gang, env);
    if (!task->launch_first)
        add_rank(run, local, env);
}

/* --- ports --- */

bool gang_env_is_free(uint16_t port, bool reuse)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = reuse;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    bool free_now = fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0;
    if (fd >= 0)
        close(fd);
    return free_now;
}

/* The first port that the system gives to outgoing connections. */
static unsigned first_outgoing(void)
{
    unsigned first = 0;
    FILE *file = fopen("/proc/sys/net/ipv4/ip_local_port_range", "re");
    if (!file || fscanf(file, "%u", &first) != 1)
        first = 0;
    if (file)
        fclose(file);
    return first > 1024 && first <= UINT16_MAX ? first : 32768;
}

uint16_t gang_env_port_of(const struct task_ports *ports, uint32_t turn, bool reuse)
{
    uint32_t count = ports->last - ports->first + 1;
    for (uint32_t i = 0; i < count; i++) {
        uint16_t port = (uint16_t)(ports->first + (turn % count + i) % count);
        if (gang_env_is_free(port, reuse))
            return port;
    }
    return 0;
}

uint16_t gang_env_port(void)
{
    enum { LEAST = 10000, TRIES = 1000 };
    unsigned end = first_outgoing(), least = end > 2 * LEAST ? LEAST : 1024;
    for (int i = 0; i < TRIES; i++) {
        uint32_t drawn = 0;
        if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
            return 0;
        uint16_t port = (uint16_t)(least + drawn % (end - least));
        if (gang_env_is_free(port, false))
            return port;
    }
    return 0;
}
