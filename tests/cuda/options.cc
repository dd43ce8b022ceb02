/* Options, failures on demand, and what exists; see fake.hh. */
#include "tests/cuda/fake.hh"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <sstream>
#include <unistd.h>

namespace fake
{

std::recursive_mutex entrance;

static options chosen;
static bool is_read;
static size_t calls, calls_of_name, kernels;
static int sick;
static cudaError_t last;
static std::map<const void *, const char *> made;

/* --- options --- */

static order read_order(const std::string &text)
{
    order read;
    if (text == "backward")
        read.kind = order::BACKWARD;
    else if (text.compare(0, 9, "shuffled:") == 0)
        read = order{order::SHUFFLED, strtoull(text.c_str() + 9, nullptr, 0)};
    else if (text != "forward")
        broken("GANNET_FAKE_CUDA: threads=%s is none of forward, backward, shuffled:SEED", text.c_str());
    return read;
}

/* [NAME:]N[:CODE] */
static void read_failure(options *out, const std::string &text)
{
    size_t name = text.find_first_of("0123456789");
    out->fail_name = name ? text.substr(0, name - 1) : "";
    char *end;
    out->fail = strtoull(text.c_str() + name, &end, 10);
    out->fail_code = *end == ':' ? atoi(end + 1) : -1;
}

static void read_fault(options *out, const std::string &text)
{
    char *end;
    out->fault = strtoull(text.c_str(), &end, 10);
    out->fault_code = *end == ':' ? atoi(end + 1) : 700;
}

static options read_options(const char *text)
{
    options read;
    std::istringstream words(text ? text : "");
    for (std::string word; words >> word;) {
        std::string key = word.substr(0, word.find('=')), value = word.substr(word.find('=') + 1);
        if (key == "gpus")
            read.gpus = atoi(value.c_str());
        else if (key == "driver")
            read.old_driver = value == "old";
        else if (key == "memory")
            read.memory = strtoull(value.c_str(), nullptr, 0);
        else if (key == "run")
            read.now = value == "now";
        else if (key == "threads")
            read.threads = read_order(value);
        else if (key == "fail")
            read_failure(&read, value);
        else if (key == "fault")
            read_fault(&read, value);
        else if (key == "trace")
            read.trace = value == "1";
        else
            broken("GANNET_FAKE_CUDA: %s is no option; tests/cuda/fake_cuda.h lists them", word.c_str());
    }
    return read;
}

options &the_options()
{
    if (!is_read)
        chosen = read_options(getenv("GANNET_FAKE_CUDA"));
    is_read = true;
    return chosen;
}

/* --- sentences --- */

/* File and line of an address in this program, where addr2line is installed. */
static void print_line(const void *address)
{
    Dl_info info;
    char command[256], line[400] = "";
    if (!address || !dladdr(address, &info))
        return;
    size_t offset = (size_t)((const char *)address - (const char *)info.dli_fbase) - 1; /* within the call */
    snprintf(command, sizeof command, "addr2line -e /proc/%d/exe 0x%zx 2>/dev/null", (int)getpid(), offset);
    FILE *pipe = popen(command, "r");
    if (pipe && fgets(line, sizeof line, pipe))
        fprintf(stderr, "  at %s", line);
    if (pipe)
        pclose(pipe);
}

static void print_place()
{
    if (!now.is_kernel) {
        fprintf(stderr, "%s%s", now.name, *now.name ? ": " : "");
        return;
    }
    const fake_place &at = fake_place_now;
    fprintf(stderr, "%s, block (%u,%u,%u), thread (%u,%u,%u): ", now.name, at.block.x, at.block.y, at.block.z,
            at.thread.x, at.thread.y, at.thread.z);
}

void broken(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "pretended CUDA: ");
    print_place();
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    print_line(now.here);
    abort();
}

/* --- failures --- */

static int code_of(int usual)
{
    return chosen.fail_code < 0 ? usual : chosen.fail_code;
}

int enter(const char *name, int usual)
{
    const options &of = the_options();
    calls++;
    if (of.trace)
        fprintf(stderr, "pretended CUDA: call %zu, %s\n", calls, name);
    if (sick)
        return usual == 999 ? sick : usual;
    if (of.fail_name.empty() ? calls == of.fail : of.fail_name == name && ++calls_of_name == of.fail)
        return code_of(usual);
    return 0;
}

cudaError_t result(cudaError_t status)
{
    if (status != cudaSuccess && status != cudaErrorNotReady)
        last = status;
    return status;
}

void become_sick(int code)
{
    sick = code;
}

int sickness()
{
    return sick;
}

bool fault_is_due()
{
    return ++kernels == the_options().fault;
}

/* --- things --- */

void thing_made(const void *thing, const char *kind)
{
    made[thing] = kind;
}

void thing_check(const void *thing, const char *kind)
{
    auto found = made.find(thing);
    if (found == made.end() || strcmp(found->second, kind) != 0)
        broken("%p is no %s, or is none any more", thing, kind);
}

void thing_gone(const void *thing, const char *kind)
{
    thing_check(thing, kind);
    made.erase(thing);
}

size_t things()
{
    return made.size();
}

} // namespace fake

using namespace fake;

void fake_cuda_set(const char *options)
{
    chosen = read_options(options);
    is_read = true;
    calls = calls_of_name = kernels = 0;
    sick = 0;
    last = cudaSuccess;
}

size_t fake_cuda_calls(void)
{
    return calls;
}

size_t fake_cuda_kernels(void)
{
    return kernels;
}

size_t fake_cuda_things(void)
{
    return things();
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t found = sick ? (cudaError_t)sick : last;
    last = cudaSuccess;
    return found;
}

cudaError_t cudaPeekAtLastError(void)
{
    return sick ? (cudaError_t)sick : last;
}

#define NAME_OF(name, value, text)                                                                                     \
    case name:                                                                                                         \
        return #name;
#define TEXT_OF(name, value, text)                                                                                     \
    case name:                                                                                                         \
        return text;

const char *cudaGetErrorName(cudaError_t error)
{
    switch (error) {
        FAKE_CUDA_ERRORS(NAME_OF)
    }
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
        FAKE_CUDA_ERRORS(TEXT_OF)
    }
    return "unrecognized error code";
}
