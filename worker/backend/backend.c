/* Backends in use, and how the processor is set; see backend.h. */
#include "worker/backend/backend.h"

#include "common/mem.h"
#include "worker/backend/team.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <immintrin.h>
#endif

const struct backend_kind *backend_find(const char *name)
{
    for (size_t i = 0; backend_list[i]; i++)
        if (strcmp(backend_list[i]->name, name) == 0)
            return backend_list[i];
    return NULL;
}

struct backend *backend_create(const struct backend_kind *kind, struct err *err)
{
    assert(kind->version == BACKEND_VERSION);
    team_set(team_threads());
    struct backend *backend = MEM_NEW(struct backend);
    backend->kind = kind;
    backend_count_into(backend, NULL, 0);
    if (kind->create(&backend->self, err)) {
        free(backend);
        return NULL;
    }
    return backend;
}

void backend_destroy(struct backend *backend)
{
    if (backend)
        backend->kind->destroy(backend->self);
    free(backend);
}

void backend_count_into(struct backend *backend, struct operation_count *counts, uint64_t timed)
{
    backend->counts = counts ? counts : backend->own;
    backend->timed = timed;
}

void *backend_allocate(struct backend *backend, size_t bytes, struct err *err)
{
    backend->taken += bytes;
    return backend->kind->allocate(backend->self, bytes, err);
}

void *backend_share(struct backend *backend, const void *host, size_t bytes, struct err *err)
{
    backend->taken += bytes;
    return backend->kind->share(backend->self, host, bytes, err);
}

void backend_begin_step(struct backend *backend, size_t B)
{
    if (backend->kind->begin && !backend->timed)
        backend->kind->begin(backend->self, B);
}

void backend_end_step(struct backend *backend)
{
    if (backend->kind->end)
        backend->kind->end(backend->self);
}

void backend_flush_tiny(void)
{
#if defined(__SSE2__)
    enum { FLUSH_TO_ZERO = 1 << 15, DENORMALS_ARE_ZERO = 1 << 6 }; /* of results; of operands */
    _mm_setcsr(_mm_getcsr() | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
#elif defined(__aarch64__)
    unsigned long control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("msr fpcr, %0" : : "r"(control | 1ul << 24)); /* FZ, both at once */
#endif
}
