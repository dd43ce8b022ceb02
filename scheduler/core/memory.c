/* What a restart needs; see memory.h. */
#include "scheduler/core/memory.h"

void memory_fini(struct memory *memory)
{
    arena_fini(&memory->arena);
}
