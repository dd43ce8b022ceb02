/* Asking for slots; see slots.h. */
#include "cli/session/slots.h"
#include "cli/data/sibling.h"
#include "common/mem.h"

#include <inttypes.h>
#include <stdlib.h>

json_t *slots_ask(const struct spec_resources *wanted, const struct slots_machine *machine, struct err *err)
{
    char *cpus = mem_format("--cpus=%" PRIu32, wanted->cpus),
         *sockets = mem_format("--sockets=%" PRIu32, wanted->sockets);
    char *gpus = mem_format("--gpus=%" PRIu32, wanted->gpus), *bind = mem_format("--bind=%s", bind_name(wanted->bind));
    char *topology = mem_format("--topology=%s", machine->topology ? machine->topology : "");
    char *share = mem_format("--share=1/%" PRIu64, machine->workers ? machine->workers : 1);
    char *memory = mem_format("--memory=%" PRIu64 "K", wanted->memory / 1024);
    const char *arguments[] = {"--show-slots", "--json", cpus, sockets, gpus, bind, share, NULL, NULL, NULL};
    size_t count = 7;
    if (wanted->memory)
        arguments[count++] = memory;
    if (machine->topology)
        arguments[count++] = topology;
    json_t *answer = program_ask("gannet-worker", arguments, err);
    json_t *slots = json_incref(json_object_get(answer, "slots"));
    if (answer && !slots)
        err_write(err,
                  "gannet-worker --show-slots did not list slots; are gannet and gannet-worker of the same version?");
    json_decref(answer);
    free(cpus);
    free(sockets);
    free(gpus);
    free(bind);
    free(topology);
    free(share);
    free(memory);
    return slots;
}
