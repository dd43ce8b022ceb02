/* Counters on futexes; see counter.h. */
#include "worker/collective/counter.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A look takes some 40 ns where the processor has an instruction for waiting: 4 us in all, less than going to sleep and
 * being woken takes. */
enum { LOOKS = 100 };

static void pause_moment(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

void counter_raise(struct counter *counter)
{
    atomic_fetch_add(&counter->value, 1);
    if (atomic_load(&counter->sleepers))
        syscall(SYS_futex, &counter->value, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

bool counter_has(struct counter *counter, uint32_t value)
{
    return (int32_t)(atomic_load_explicit(&counter->value, memory_order_acquire) - value) >= 0;
}

/* The sleeper counts itself before it looks for the last time, and who raises looks for sleepers after that: one of
 * both sees the other. */
static void sleep_until(struct counter *counter, uint32_t value)
{
    atomic_fetch_add(&counter->sleepers, 1);
    for (uint32_t seen = atomic_load(&counter->value); (int32_t)(seen - value) < 0; seen = atomic_load(&counter->value))
        syscall(SYS_futex, &counter->value, FUTEX_WAIT, seen, NULL, NULL, 0);
    atomic_fetch_sub(&counter->sleepers, 1);
}

void counter_await(struct counter *counter, uint32_t value)
{
    for (int i = 0; i < LOOKS; i++) {
        if (counter_has(counter, value))
            return;
        pause_moment();
    }
    sleep_until(counter, value);
}
