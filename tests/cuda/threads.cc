/* The threads of a block as fibers of one thread of the host: each runs until it waits for others or ends. Blocks run
 * one after the other. See fake.hh. */
#include "tests/cuda/fake.hh"

#include <algorithm>
#include <cstdlib>
#include <sys/mman.h>
#include <ucontext.h>

fake_place fake_place_now;

namespace fake
{

enum { MOST_THREADS = 1024, WARP = 32 };
static const size_t STACK = (size_t)256 << 10;

static char *stacks;
static std::vector<int> free_stacks;
static lane lanes[MOST_THREADS];
static unsigned count, ended, arrived; /* of the block's threads: all, at their end, at the barrier */

/* --- changing between fibers --- */

#if defined(__x86_64__)
extern "C" void fake_switch(void **keep, void *to);
/* Keeps what a function must keep on the stack that it leaves. */
asm(".text\n.globl fake_switch\n.type fake_switch,@function\nfake_switch:\n"
    "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
    "mov %rsp,(%rdi)\nmov %rsi,%rsp\n"
    "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n"
    ".size fake_switch,.-fake_switch\n");

static void *begin_stack(char *stack, void (*first)())
{
    void **top = (void **)(stack + STACK - 16);
    *--top = nullptr; /* where `first` would return to: it never does; its stack is aligned as after a call */
    *--top = (void *)first;
    return top - 6;
}
#else
static ucontext_t contexts[MOST_THREADS + 1];
static int contexts_used;

extern "C" void fake_switch(void **keep, void *to)
{
    static ucontext_t *current = &contexts[MOST_THREADS];
    ucontext_t *from = current;
    *keep = from;
    current = (ucontext_t *)to;
    swapcontext(from, current);
}

static void *begin_stack(char *stack, void (*first)())
{
    ucontext_t *made = &contexts[contexts_used++ % MOST_THREADS];
    getcontext(made);
    made->uc_stack.ss_sp = stack;
    made->uc_stack.ss_size = STACK;
    makecontext(made, first, 0);
    return made;
}
#endif

static void *scheduler;

static void leave(lane *self)
{
    fake_switch(&self->stack_pointer, scheduler);
}

static void run_thread()
{
    now.kernel->run(now.kernel->self);
    lane *self = &lanes[now.thread];
    self->state = lane::ENDED;
    ended++;
    leave(self);
    abort();
}

static void open_stacks()
{
    if (stacks)
        return;
    stacks = (char *)mmap(nullptr, STACK * MOST_THREADS, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks == MAP_FAILED)
        broken("no memory for the stacks of threads");
    for (int i = MOST_THREADS; i-- > 0;)
        free_stacks.push_back(i);
}

static void run_lane(unsigned i)
{
    lane *self = &lanes[i];
    const dim3 &of = fake_place_now.threads;
    if (self->state == lane::NEW) {
        self->stack = free_stacks.back();
        free_stacks.pop_back();
        self->stack_pointer = begin_stack(stacks + STACK * (size_t)self->stack, run_thread);
    }
    now.thread = i;
    now.stack = (uintptr_t)stacks + STACK * (size_t)self->stack;
    now.stack_end = now.stack + STACK;
    fake_place_now.thread = {i % of.x, i / of.x % of.y, i / of.x / of.y};
    now.is_kernel = true;
    fake_switch(&scheduler, self->stack_pointer);
    settle_doubt();
    now.is_kernel = false;
    if (self->state == lane::ENDED)
        free_stacks.push_back(self->stack);
}

/* --- meeting --- */

static bool all_wait_at(unsigned first, unsigned end, unsigned mask)
{
    for (unsigned i = first; i < end; i++)
        if ((mask >> (i - first) & 1) && (lanes[i].state != lane::AT_EXCHANGE || lanes[i].mask != mask))
            return false;
    return true;
}

static void exchange(lane *self, unsigned warp)
{
    unsigned long long values[WARP];
    unsigned last = std::min(count - warp, (unsigned)WARP);
    now.time++;
    for (unsigned i = 0; i < last; i++)
        values[i] = lanes[warp + i].value;
    for (unsigned i = 0; i < last; i++) {
        lane *each = &lanes[warp + i];
        if (!(self->mask >> i & 1))
            continue;
        unsigned group = i / each->width * each->width,
                 from = each->kind == FAKE_LANE_OF ? group + each->argument % each->width : i ^ each->argument;
        if (each->kind >= 0 && (from >= WARP || from / each->width != i / each->width))
            from = i;
        if (each->kind >= 0 && (from >= last || !(self->mask >> from & 1)))
            broken("lane %u asks lane %u, which takes no part in it", i, from);
        if (each->kind != self->kind)
            broken("lanes of a warp exchange in different ways at the same time");
        each->value = values[each->kind >= 0 ? from : i];
        each->warp_time = now.time;
        each->state = lane::READY;
    }
}

static void release_block()
{
    now.time++;
    arrived = 0;
    for (unsigned i = 0; i < count; i++) {
        lanes[i].barrier_time = now.time;
        lanes[i].state = lane::READY;
    }
}

static unsigned count_of(int state)
{
    unsigned found = 0;
    for (unsigned i = 0; i < count; i++)
        found += lanes[i].state == state;
    return found;
}

static lane *wait_in_warp(unsigned mask, int kind)
{
    lane *self = &lanes[now.thread];
    unsigned warp = now.thread / WARP * WARP;
    if (!(mask >> now.thread % WARP & 1))
        broken("its lane is not in the mask %#x that it gives", mask);
    self->mask = mask;
    self->kind = kind;
    self->width = kind < 0 ? (unsigned)WARP : self->width;
    self->state = lane::AT_EXCHANGE;
    if (all_wait_at(warp, std::min(warp + WARP, count), mask))
        exchange(self, warp);
    leave(self);
    return self;
}

/* --- blocks and grids --- */

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t common_factor(uint64_t a, uint64_t b)
{
    return b ? common_factor(b, a % b) : a;
}

/* Number i of n in the order that was asked for; a shuffled one is i times something that has no factor of n, and more.
 */
class permutation
{
  public:
    permutation(const order &how, uint64_t size, uint64_t salt) : n(size)
    {
        if (how.kind == order::BACKWARD) {
            factor = n - 1;
            more = n - 1;
        } else if (how.kind == order::SHUFFLED && n > 1) {
            more = mix(how.seed * 0x9e3779b97f4a7c15u + salt) % n;
            for (factor = mix(how.seed + salt + 1) % n; common_factor(factor, n) != 1; factor = (factor + 1) % n)
                ;
        }
    }
    uint64_t at(uint64_t i) const
    {
        return (uint64_t)(((unsigned __int128)i * factor + more) % n);
    }

  private:
    uint64_t n, factor = 1, more = 0;
};

[[noreturn]] static void stuck()
{
    unsigned at_barrier = count_of(lane::AT_BARRIER), at_exchange = count_of(lane::AT_EXCHANGE);
    broken("block (%u,%u,%u) hangs: of %u threads %u wait at a barrier, %u for lanes of their warp, and %u have ended",
           fake_place_now.block.x, fake_place_now.block.y, fake_place_now.block.z, count, at_barrier, at_exchange,
           ended);
}

static void run_block(const order &how, uint64_t number)
{
    for (unsigned i = 0; i < count; i++)
        lanes[i] = lane{};
    ended = arrived = 0;
    now.time = 1;
    for (uint64_t round = 0; ended < count; round++) {
        permutation threads(how, count, number * 31 + round);
        bool any = false;
        for (unsigned k = 0; k < count; k++) {
            unsigned i = (unsigned)threads.at(k);
            if (lanes[i].state == lane::NEW || lanes[i].state == lane::READY) {
                run_lane(i);
                any = true;
            }
        }
        if (!any)
            stuck();
    }
}

static uint32_t next_id = 1;

uint32_t draw_ids(size_t amount)
{
    uint32_t first = next_id;
    if (amount > ((uint32_t)1 << 28) - next_id)
        broken("more blocks than are told apart; the test is too long for one process");
    next_id += (uint32_t)amount;
    return first;
}

void run_grid(const fake_kernel &kernel, dim3 grid, dim3 block)
{
    size_t blocks = (size_t)grid.x * grid.y * grid.z;
    const order &how = the_options().threads;
    permutation order_of_blocks(how, blocks, 7);
    open_stacks();
    now.kernel = &kernel;
    now.lanes = lanes;
    now.first_id = draw_ids(blocks);
    count = block.x * block.y * block.z;
    fake_place_now.threads = block;
    fake_place_now.blocks = grid;
    for (size_t k = 0; k < blocks; k++) {
        size_t i = order_of_blocks.at(k);
        now.id = now.first_id + (uint32_t)i;
        fake_place_now.block = {(unsigned)(i % grid.x), (unsigned)(i / grid.x % grid.y),
                                (unsigned)(i / grid.x / grid.y)};
        run_block(how, i);
    }
}

} // namespace fake

using namespace fake;

static void check_in_kernel()
{
    if (!now.is_kernel)
        broken("what threads of a kernel do is done by the host");
}

/* All threads of the block meet; those that have ended never come. */
void fake_sync_block(void)
{
    check_in_kernel();
    now.here = __builtin_return_address(0);
    lane *self = &lanes[now.thread];
    self->state = lane::AT_BARRIER;
    if (++arrived == count)
        release_block();
    leave(self);
}

void fake_sync_warp(unsigned mask)
{
    check_in_kernel();
    now.here = __builtin_return_address(0);
    wait_in_warp(mask, -1);
}

unsigned long long fake_exchange_lanes(enum fake_exchange kind, unsigned mask, unsigned long long value, unsigned lane,
                                       unsigned width)
{
    check_in_kernel();
    now.here = __builtin_return_address(0);
    struct lane *self = &lanes[now.thread];
    self->value = value;
    self->argument = lane;
    self->width = width;
    return wait_in_warp(mask, kind)->value;
}
