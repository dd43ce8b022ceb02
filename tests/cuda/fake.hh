/* What the files of the pretended CUDA share; fake_cuda.h says what it is for. One host thread at a time is in it. */
#ifndef GANNET_TESTS_CUDA_FAKE_HH
#define GANNET_TESTS_CUDA_FAKE_HH

#include "tests/cuda/fake_cuda.h"
#include "tests/cuda/include/cuda_runtime.h"

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace fake
{

/* --- options, failures: options.cc --- */

struct order { /* of blocks and threads */
    enum { FORWARD, BACKWARD, SHUFFLED } kind = FORWARD;
    uint64_t seed = 0;
};

struct options {
    int gpus = 1;
    bool old_driver = false, now = false, trace = false;
    size_t memory = (size_t)2 << 30;
    order threads;
    std::string fail_name; /* empty: of any */
    size_t fail = 0, fault = 0;
    int fail_code = -1, fault_code = 700; /* -1: 999, or what the library says of its own insides */
};

options &the_options();
extern std::recursive_mutex entrance; /* guards all of it */

/* Says what rule was broken, where, and ends the process. */
[[noreturn, gnu::format(printf, 1, 2)]] void broken(const char *format, ...);

/* At the beginning of each function that can fail: 0, or the code with which this call fails. A library's `usual` is
 * what a call fails with when nobody names a code. */
int enter(const char *name, int usual = 999);
cudaError_t result(cudaError_t status); /* keeps what cudaGetLastError will say */
void become_sick(int code);             /* every call fails from now on */
int sickness();
bool fault_is_due(); /* counts a kernel */

/* Things that are made and destroyed, for leaks and for handles that are none. */
void thing_made(const void *thing, const char *kind);
void thing_gone(const void *thing, const char *kind);
void thing_check(const void *thing, const char *kind);
size_t things();

/* --- memory: memory.cc --- */

struct piece { /* of the device's memory */
    uintptr_t at;
    size_t bytes;
    bool is_free, is_written; /* all of it, once */
};

extern uintptr_t arena; /* the addresses of all of it; 0 before the first piece */
const size_t ARENA = (size_t)64 << 30;

bool on_device(const void *at); /* whether it is an address of the device's memory, anybody's or not */
const piece *piece_of(uintptr_t at);
std::string describe(uintptr_t at); /* where that is, in words */
bool is_pinned(const void *at, size_t bytes);
size_t bytes_in_use();
void open_memory();  /* to code of the device, closed to the host */
void close_memory(); /* again */

/* --- accesses: access.cc --- */

enum access { READ, WRITE };

/* What a library's function, or a copy, does to memory of the device, which is open. */
void touch(const void *at, size_t bytes, access kind);
void begin_states();
void forget(const piece &of);                                 /* that is free: what it takes is given back */
void settle_doubt();                                          /* whether what the thread has just written was a race */
void move_states(uintptr_t to, uintptr_t from, size_t bytes); /* a copy takes along what was never written */

/* --- threads: threads.cc --- */

struct lane {
    enum { NEW, READY, AT_BARRIER, AT_EXCHANGE, ENDED } state;
    void *stack_pointer;
    int stack;
    uint32_t barrier_time, warp_time; /* of the last ones it took part in */
    unsigned mask, argument, width;
    int kind; /* of exchange; -1: none, only a barrier */
    unsigned long long value;
};

/* Who runs now. */
struct actor {
    bool is_kernel = false;
    const fake_kernel *kernel = nullptr;
    const char *name = "";
    uint32_t id = 0;       /* of the block, or of the operation */
    uint32_t first_id = 0; /* of the operation's blocks */
    uint32_t time = 0;     /* of the block: how often its threads met */
    unsigned thread = 0;
    lane *lanes = nullptr;
    uintptr_t stack = 0, stack_end = 0;
    void *here = nullptr; /* the line of code, for sentences */
};
extern actor now;

uint32_t draw_ids(size_t count); /* the first of so many new ones, which begin an operation */
void run_grid(const fake_kernel &kernel, dim3 grid, dim3 block);

/* --- work that is queued: work.cc --- */

enum { MOST_STREAMS = 16 };
using moments = std::array<uint64_t, MOST_STREAMS>; /* of each stream: how much of it is known to be done before */

struct work {
    std::string name;
    std::function<void()> run;
    unsigned stream = 0;
    moments before{}; /* its own moment included */
    std::vector<std::shared_ptr<work>> after;
    bool is_done = false;
};

/* Whether the operation that had this id was done before the one that runs now begins, by rule. */
bool is_ordered(uint32_t id);

/* Something for a stream to do: done when it is waited for, or recorded when the stream is being captured. `queued` is
 * done at once in the first case, and when a graph with it is started in the other. */
cudaError_t add_work(cudaStream_t stream, const char *name, std::function<void()> run,
                     std::function<void()> queued = nullptr);
void run_all();
size_t waiting();

} // namespace fake

#endif
