/* See openmp.h. */
#include "common/openmp.h"

#include "common/mem.h"

#include <stdlib.h>

/* How often a thread that waits for others looks again before it sleeps. A look takes 20 to 60 ns, 1,000 of them as
 * long as two or three wake-ups. The library's own 300,000 take some 20 ms, in which the thread that is waited for may
 * want the same core. Measured with two threads on two cores, seconds of a trial: of cores at load 10 cnn took 7.3 with
 * 300,000 and 1.1 with 1,000 (0.8 with one thread), mlp 1.8 and 0.8 (0.3); on cores of its own (chrt -f) cnn, mlp, wide
 * mlp and lstm took 0 to 4 % longer with 1,000 than with 300,000, and 15 to 150 % longer with none. */
#define LOOKS "1000"

static const char *find_variable(const char *const *own, const char *name)
{
    const char *value = texts_variable(own, name);
    return value ? value : getenv(name);
}

void openmp_env(const char *threads, const char *const *own, struct texts *env)
{
    texts_add(env, mem_format("OMP_NUM_THREADS=%s", threads));
    texts_add(env, mem_text("OMP_DYNAMIC=false")); /* else there are fewer than oneDNN has divided its work among */
    if (!find_variable(own, "OMP_WAIT_POLICY") && !find_variable(own, "GOMP_SPINCOUNT"))
        texts_add(env, mem_text("GOMP_SPINCOUNT=" LOOKS));
}
