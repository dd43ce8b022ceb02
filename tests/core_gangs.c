/* Trials of several nodes on the fixture of the core; see core_gangs.h. */
#include "tests/core_gangs.h"

void gangs_start(struct fixture *b, uint32_t nodes, uint32_t workers, uint32_t slots)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    b->config.nodes = nodes;
    fixture_start(b);
    for (uint32_t i = 0; i < workers; i++)
        fixture_join_on(b, names[i], i + 1, slots, NULL, 0);
}

const struct msg_lease *gangs_lease_of(const struct fixture *b, uint64_t worker)
{
    for (size_t i = b->sent_count; i-- > 0;)
        if (b->peers[i] == worker && b->sent[i].kind == MSG_LEASES)
            return &b->sent[i].leases.leases[b->sent[i].leases.leases_count - 1];
    return NULL;
}

size_t gangs_count_leases(const struct fixture *b)
{
    size_t count = 0;
    for (size_t i = 0; i < b->sent_count; i++)
        count += b->sent[i].kind == MSG_LEASES ? b->sent[i].leases.leases_count : 0;
    return count;
}

size_t gangs_count_stops(const struct fixture *b, uint64_t worker, enum ending *ending)
{
    size_t count = 0;
    for (size_t i = 0; i < b->sent_count; i++)
        if (b->peers[i] == worker && b->sent[i].kind == MSG_STOP_RUN) {
            count++;
            *ending = (enum ending)b->sent[i].stop_run.ending;
        }
    return count;
}

bool gangs_is_stopped(const struct fixture *b, uint64_t worker)
{
    enum ending ending;
    return gangs_count_stops(b, worker, &ending) > 0;
}
