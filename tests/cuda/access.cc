/* Every access of the device is looked at here: whose memory it is, whether it was written, who else touches it. See
 * fake.hh.
 *
 * A byte of memory has a stamp of its last write and one of its last read: the block (a number that no other block of
 * the process has), the thread, and the block's time, which goes up whenever threads of it meet. An access of the same
 * block came before this one if this thread has met all others, or those of its warp where the other one is of the same
 * warp, at a later time. */
#include "tests/cuda/fake.hh"

#include <cstdlib>
#include <cstring>
#include <link.h>
#include <sys/mman.h>
#include <vector>

namespace fake
{

actor now;

/* --- stamps --- */

struct stamps {
    uint64_t write, read; /* 0: nobody */
};

/* id 28 bits, thread 12 bits, time 24 bits */
enum { ID = 36, THREAD = 24, SEVERAL = 1024, SEVERAL_OF_WARP = 1025, THREADS = 0xfff, TIMES = 0xffffff };

static uint64_t stamp_of(unsigned thread)
{
    if (now.time > TIMES)
        broken("its threads met more than %d times", TIMES);
    return (uint64_t)now.id << ID | (uint64_t)thread << THREAD | now.time;
}

static uint32_t id_of(uint64_t stamp)
{
    return (uint32_t)(stamp >> ID);
}

static unsigned thread_of(uint64_t stamp)
{
    return (unsigned)(stamp >> THREAD & THREADS);
}

static bool same_warp(unsigned thread)
{
    return thread == SEVERAL_OF_WARP + now.thread / 32 || (thread < SEVERAL && thread / 32 == now.thread / 32);
}

/* Whether what the stamp tells of came before, by rule. */
static bool came_before(uint64_t stamp)
{
    if (stamp == 0)
        return true;
    if (id_of(stamp) != now.id)
        return id_of(stamp) < now.first_id && is_ordered(id_of(stamp));
    unsigned thread = thread_of(stamp);
    if (!now.is_kernel || thread == now.thread)
        return true;
    uint32_t time = (uint32_t)(stamp & TIMES);
    const lane &self = now.lanes[now.thread];
    return time < self.barrier_time || (same_warp(thread) && time < self.warp_time);
}

/* --- sentences --- */

static std::string who(uint64_t stamp)
{
    char text[80];
    unsigned thread = thread_of(stamp);
    if (id_of(stamp) != now.id)
        return id_of(stamp) < now.first_id ? "an operation of another stream" : "another block";
    snprintf(text, sizeof text, thread >= SEVERAL ? "several threads" : "thread %u of the block", thread);
    return text;
}

static const char *words_of(access kind)
{
    return kind == WRITE ? "writes" : "reads";
}

/* Threads that write the same number do no harm, so a write that meets another one is looked at again when it is done.
 */
static struct {
    uintptr_t at;
    unsigned char before[16];
    size_t bytes;
    std::string words;
    void *here;
} doubt;

static struct {
    uintptr_t at;
    size_t bytes;
} under_way; /* the access that is looked at */

void settle_doubt()
{
    bool same = doubt.bytes == 0 || memcmp((const void *)doubt.at, doubt.before, doubt.bytes) == 0;
    doubt.bytes = 0;
    now.here = doubt.here;
    if (!same)
        broken("%s", doubt.words.c_str());
}

static void race(const char *mine, uintptr_t at, uint64_t stamp, const char *theirs)
{
    std::string what = on_device((void *)at) ? describe(at) : "shared memory",
                words = std::string("a race: it ") + mine + " " + what + ", which " + who(stamp) + " has " + theirs +
                        ", and nothing keeps them apart";
    if (!now.is_kernel || under_way.bytes > sizeof doubt.before || strcmp(mine, "writes") != 0 ||
        strcmp(theirs, "written") != 0)
        broken("%s", words.c_str());
    if (doubt.bytes)
        return;
    doubt.at = under_way.at;
    doubt.bytes = under_way.bytes;
    doubt.words = words;
    doubt.here = now.here;
    memcpy(doubt.before, (const void *)doubt.at, doubt.bytes);
}

/* --- the device's memory --- */

static uint8_t *written; /* of each byte: whether it was */
static stamps *stamped;

static void *reserve_zeros(size_t bytes)
{
    void *at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        broken("no %zu bytes of addresses for what is known of the device's memory", bytes);
    madvise(at, bytes, MADV_DONTDUMP);
    return at;
}

void begin_states()
{
    written = (uint8_t *)reserve_zeros(ARENA);
    stamped = (stamps *)reserve_zeros(ARENA * sizeof *stamped);
    madvise(stamped, ARENA * sizeof *stamped, MADV_HUGEPAGE); /* 16 bytes for each: pages of 4 KiB would be most of the work */
}

static void give_back(void *from, size_t bytes)
{
    uintptr_t page = 4096, first = ((uintptr_t)from + page - 1) / page * page,
              end = ((uintptr_t)from + bytes) / page * page;
    if (end > first)
        madvise((void *)first, end - first, MADV_DONTNEED);
}

void forget(const piece &of)
{
    give_back((void *)of.at, of.bytes);
    give_back(written + (of.at - arena), of.bytes);
    give_back(stamped + (of.at - arena), of.bytes * sizeof *stamped);
}

void move_states(uintptr_t to, uintptr_t from, size_t bytes)
{
    if (!piece_of(from)->is_written)
        memmove(written + (to - arena), written + (from - arena), bytes);
}

static void check_piece(uintptr_t at, size_t bytes, access kind)
{
    const piece *of = piece_of(at);
    bool begins = at - of->at < of->bytes;
    if (begins && bytes <= of->bytes - (at - of->at) && !of->is_free)
        return;
    broken("it %s %zu bytes that are not its own: %s", words_of(kind), bytes,
           describe(begins && !of->is_free ? of->at + of->bytes : at).c_str());
}

static void check_written(uintptr_t at, size_t bytes)
{
    const uint8_t *states = written + (at - arena);
    for (size_t i = 0; i < bytes; i++)
        if (!states[i] && !piece_of(at)->is_written)
            broken("it reads %zu bytes that nobody has written: %s", bytes, describe(at + i).c_str());
}

static void note_write(stamps *of, uintptr_t at)
{
    if (!came_before(of->write))
        race("writes", at, of->write, "written");
    if (!came_before(of->read))
        race("writes", at, of->read, "read");
    of->write = stamp_of(now.thread);
}

/* Readers that nothing keeps apart are no race, but all must be known to who writes next. */
static void note_read(stamps *of, uintptr_t at)
{
    if (!came_before(of->write))
        race("reads", at, of->write, "written");
    unsigned thread = now.thread;
    if (of->read && id_of(of->read) == now.id && thread_of(of->read) != thread && !came_before(of->read))
        thread = same_warp(thread_of(of->read)) ? SEVERAL_OF_WARP + thread / 32 : (unsigned)SEVERAL;
    of->read = stamp_of(thread);
}

/* Neighbours mostly have the same story. */
static void note(stamps *of, uintptr_t at, size_t bytes, access kind)
{
    under_way = {at, bytes};
    stamps before = {~(uint64_t)0, 0}, after = before;
    for (size_t i = 0; i < bytes; i++) {
        if (of[i].write == before.write && of[i].read == before.read) {
            of[i] = after;
            continue;
        }
        before = of[i];
        kind == WRITE ? note_write(&of[i], at + i) : note_read(&of[i], at + i);
        after = of[i];
    }
}

/* Of large pieces that are written as a whole nobody keeps the bytes' stories. */
static bool is_large(uintptr_t at, size_t bytes)
{
    return bytes >= (size_t)64 << 20 && piece_of(at)->bytes == bytes;
}

void touch(const void *address, size_t bytes, access kind)
{
    uintptr_t at = (uintptr_t)address;
    if (bytes == 0)
        return;
    if (!on_device(address))
        broken("it %s memory of the host", words_of(kind));
    check_piece(at, bytes, kind);
    if (kind == WRITE && is_large(at, bytes)) {
        ((piece *)piece_of(at))->is_written = true;
        return;
    }
    if (kind == WRITE)
        memset(written + (at - arena), 1, bytes);
    else
        check_written(at, bytes);
    note(stamped + (at - arena), at, bytes, kind);
}

/* --- shared memory: what is the thread's that plays the GPU --- */

static thread_local uintptr_t shared, shared_bytes;
static thread_local std::vector<stamps> *shared_stamps;

static int find_shared(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    (void)data;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS) {
            shared = (uintptr_t)info->dlpi_tls_data;
            shared_bytes = info->dlpi_phdr[i].p_memsz;
        }
    return 1; /* the program itself comes first, and is all that has kernels */
}

static void touch_shared(uintptr_t at, size_t bytes, access kind)
{
    if (!shared_stamps)
        shared_stamps = new std::vector<stamps>(shared_bytes);
    stamps *of = shared_stamps->data() + (at - shared);
    for (size_t i = 0; i < bytes && kind == READ; i++)
        if (id_of(of[i].write) != now.id)
            broken("it reads %zu bytes of shared memory that its block has not written", bytes);
    for (size_t i = 0; i < bytes; i++) { /* what earlier blocks had there */
        of[i].write = id_of(of[i].write) == now.id ? of[i].write : 0;
        of[i].read = id_of(of[i].read) == now.id ? of[i].read : 0;
    }
    note(of, at, bytes, kind);
}

/* --- what the compiler calls --- */

static bool is_within(uintptr_t at, const void *from, size_t bytes)
{
    return at - (uintptr_t)from < bytes;
}

/* Constants of the program are those of the device, too. */
static bool is_constant(uintptr_t at)
{
    extern char start asm("__executable_start"), data asm("__data_start");
    return at >= (uintptr_t)&start && at < (uintptr_t)&data;
}

static void access_of_kernel(uintptr_t at, size_t bytes, access kind)
{
    if (!shared)
        dl_iterate_phdr(find_shared, nullptr);
    if (at - shared < shared_bytes)
        return touch_shared(at, bytes, kind);
    if (is_within(at, &fake_place_now, sizeof fake_place_now) ||
        (kind == READ && (is_within(at, now.kernel->self, now.kernel->bytes) || is_constant(at))))
        return;
    broken("it %s %zu bytes of the host's memory, which a GPU can't", words_of(kind), bytes);
}

static inline void seen(const void *address, size_t bytes, bool aligned, access kind, void *here)
{
    uintptr_t at = (uintptr_t)address;
    if (now.is_kernel && at >= now.stack && at < now.stack_end)
        return;
    if (!now.is_kernel && !on_device(address))
        return;
    if (doubt.bytes)
        settle_doubt();
    now.here = here;
    if (!now.is_kernel)
        broken("code of the host %s memory of the device: %s", words_of(kind), describe(at).c_str());
    if (aligned && at % bytes)
        broken("it %s %zu bytes at an address that is no multiple of that", words_of(kind), bytes);
    if (on_device(address))
        touch(address, bytes, kind);
    else
        access_of_kernel(at, bytes, kind);
}

} // namespace fake

using namespace fake;

extern "C" {

#define HERE __builtin_return_address(0)
#define ACCESSES(bytes)                                                                                                \
    void __tsan_read##bytes(void *at)                                                                                  \
    {                                                                                                                  \
        seen(at, bytes, true, READ, HERE);                                                                             \
    }                                                                                                                  \
    void __tsan_write##bytes(void *at)                                                                                 \
    {                                                                                                                  \
        seen(at, bytes, true, WRITE, HERE);                                                                            \
    }                                                                                                                  \
    void __tsan_unaligned_read##bytes(void *at)                                                                        \
    {                                                                                                                  \
        seen(at, bytes, false, READ, HERE);                                                                            \
    }                                                                                                                  \
    void __tsan_unaligned_write##bytes(void *at)                                                                       \
    {                                                                                                                  \
        seen(at, bytes, false, WRITE, HERE);                                                                           \
    }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void __tsan_read_range(void *at, size_t bytes)
{
    seen(at, bytes, false, READ, HERE);
}

void __tsan_write_range(void *at, size_t bytes)
{
    seen(at, bytes, false, WRITE, HERE);
}

/* What .cu sources call in place of the C library's. */
void *fake_memcpy(void *to, const void *from, size_t bytes)
{
    seen(from, bytes, false, READ, HERE);
    seen(to, bytes, false, WRITE, HERE);
    return memcpy(to, from, bytes);
}

void *fake_memmove(void *to, const void *from, size_t bytes)
{
    seen(from, bytes, false, READ, HERE);
    seen(to, bytes, false, WRITE, HERE);
    return memmove(to, from, bytes);
}

void *fake_memset(void *to, int value, size_t bytes)
{
    seen(to, bytes, false, WRITE, HERE);
    return memset(to, value, bytes);
}

void __tsan_init(void)
{
}
void __tsan_func_entry(void *)
{
}
void __tsan_func_exit(void)
{
}
void __tsan_vptr_update(void *, void *)
{
}
void __tsan_vptr_read(void *)
{
}
}
