/* Jobs of workers in the simulated world: each ends, with its worker in it; see sim.h. */
#include "tests/sim/sim.h"

/* When nothing goes wrong any more, jobs don't end any more, either. */
void sim_job_start(struct sim *sim, uint32_t index)
{
    struct sim_worker *worker = &sim->workers[index];
    if (!(sim->profile.job > 0) || sim->now > sim->profile.calm)
        return;
    worker->job = (uint32_t)worker->id;
    worker->ends = sim->now + sim->profile.job * (0.5 + rng_unit(&sim->rng));
    sim_in(sim, sim_random(sim, 0.5), SIM_JOB_SEEN, index, worker->id);
    sim_in(sim, worker->ends - sim->now, SIM_JOB_END, index, worker->id);
}

/* Whoever looks after the jobs says it again and again: the core may be another one by then. */
void sim_job_see(struct sim *sim, uint32_t index, uint64_t id)
{
    const struct sim_worker *worker = &sim->workers[index];
    if (!worker->alive || worker->id != id)
        return;
    if (sim->core)
        core_job_ends(sim->core, sim->now, (struct node_job){worker->job, NODE_NO_ELEMENT}, worker->ends);
    sim_in(sim, sim->profile.job / 4, SIM_JOB_SEEN, index, id);
}

void sim_job_end(struct sim *sim, uint32_t index, uint64_t id)
{
    struct sim_worker *worker = &sim->workers[index];
    struct job_facts facts = {.job = worker->job, .element = NODE_NO_ELEMENT, .state = "timeout"};
    if (!worker->alive || worker->id != id)
        return;
    sim_trace(sim, "its job ends, killed is worker", index, NULL);
    worker->alive = false;
    if (sim_listening(sim) && sim_chance(sim, 0.5))
        core_job(sim->core, sim->now, &facts);
    sim_in(sim, sim_random(sim, 5), SIM_START_WORKER, index, 0);
}
