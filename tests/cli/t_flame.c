/* Flame graphs: stacks, names of functions from wherever they come, and the drawing. */
#include "cli/flame/processes.h"
#include "cli/flame/recording.h"
#include "cli/flame/svg.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/rng.h"
#include "tests/claims.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct stack_frame train = {"train", FRAME_PROGRAM}, load = {"load", FRAME_PROGRAM},
                                step = {"step", FRAME_PYTHON};

static void stacks_are_counted_along_their_way(void **state)
{
    (void)state;
    struct stacks stacks = {0};
    struct buf out = {0};
    stacks_add(&stacks, (struct stack_frame[]){train, step}, 2);
    stacks_add(&stacks, (struct stack_frame[]){train, step}, 2);
    stacks_add(&stacks, (struct stack_frame[]){train}, 1);
    stacks_add(&stacks, (struct stack_frame[]){load}, 1);
    stacks_write_folded(&stacks, &out);
    assert_has(buf_str(&out), "train 1\ntrain;step 2\n");
    assert_has(buf_str(&out), "load 1\n");
    assert_int_equal(stacks.root.total, 4);
    assert_int_equal(stacks_depth(&stacks), 2);
    buf_fini(&out);
    stacks_fini(&stacks);
}

static void a_bottomless_recursion_is_cut(void **state)
{
    (void)state;
    struct stacks stacks = {0};
    struct stack_frame *frames = MEM_ARRAY(struct stack_frame, 100000);
    for (size_t i = 0; i < 100000; i++)
        frames[i] = train;
    stacks_add(&stacks, frames, 100000);
    assert_int_equal(stacks_depth(&stacks), STACKS_DEEPEST);
    free(frames);
    stacks_fini(&stacks);
}

static void names_are_nothing_but_text(void **state)
{
    (void)state;
    struct stacks stacks = {0};
    struct buf svg = {0}, folded = {0};
    stacks_add(&stacks, &(struct stack_frame){"</title><script>alert('1')</script>\"&\x01\xff;\n]]>", FRAME_PROGRAM},
               1);
    svg_draw(&stacks, "<b>", "a & b", &svg);
    stacks_write_folded(&stacks, &folded);
    const char *body = strstr(buf_str(&svg), "<g ");
    assert_non_null(body);
    assert_has(body, "&lt;/title&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&amp;??;?]]&gt;");
    assert_has(buf_str(&svg), "&lt;b&gt;</text>");
    assert_has(body, "a &amp; b</text>");
    assert_null(strstr(body, "alert('1')"));
    assert_null(strchr(buf_str(&svg), 1));
    assert_string_equal(strchr(buf_str(&folded), '\n'), "\n");
    assert_null(strchr(buf_str(&folded), ';'));
    buf_fini(&svg);
    buf_fini(&folded);
    stacks_fini(&stacks);
}

static void the_drawing_needs_no_network(void **state)
{
    (void)state;
    struct stacks stacks = {0};
    struct buf svg = {0};
    stacks_add(&stacks, &train, 1);
    svg_draw(&stacks, "t", "n", &svg);
    const char *first = strstr(buf_str(&svg), "http");
    assert_int_equal(strncmp(first, "http://www.w3.org/2000/svg\"", 27), 0); /* the name of the format is all */
    assert_null(strstr(first + 1, "http"));
    assert_has(buf_str(&svg), "train - 1 samples, 100.00 %; itself 100.00 %</title>");
    buf_fini(&svg);
    stacks_fini(&stacks);
}

/* --- names that a process made --- */

static void a_map_gives_names_and_nonsense_none(void **state)
{
    (void)state;
    static const char text[] = "7f0000001000 10 py::hot:/a/b.py\n"
                               "zz 10 bad\n7f00 bad\n\n-1 10 minus\n 7f0000009000 10 spaced\n"
                               "ffffffffffffffff ffffffffffffffff over\n7f0000002000 0 empty\n"
                               "7f0000003000 20 two words\n7f0000004000 20 without an end";
    struct perf_map map = {0};
    for (size_t i = 0; i < sizeof text - 1; i++) /* it grows by single bytes */
        perf_map_take(&map, &text[i], 1);
    assert_int_equal(map.functions.count, 2);
    assert_string_equal(symbols_find(&map.functions, 0x7f000000100f), "py::hot:/a/b.py");
    assert_null(symbols_find(&map.functions, 0x7f0000001010));
    assert_null(symbols_find(&map.functions, 0xfff));
    assert_string_equal(symbols_find(&map.functions, 0x7f0000003000), "two words");
    perf_map_fini(&map);
}

static void a_map_of_one_endless_line_takes_no_room(void **state)
{
    (void)state;
    struct perf_map map = {0};
    char *text = mem_zero(1 << 20, 1);
    memset(text, 'a', 1 << 20);
    for (int i = 0; i < 8; i++)
        perf_map_take(&map, text, 1 << 20);
    assert_true(map.rest.capacity < 1 << 16);
    assert_int_equal(map.functions.count, 0);
    free(text);
    perf_map_fini(&map);
}

static void maps_that_others_can_write_are_left_alone(void **state)
{
    static const char line[] = "7f0000001000 10 py::hot:/a/b.py\n";
    struct perf_map map = {0};
    const char *file = path_in(state, "perf-1.map"), *way = path_in(state, "link"), *pipe = path_in(state, "pipe");
    write_file(file, line, 0600);
    assert_int_equal(symlink(file, way), 0);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    perf_map_read(&map, way, geteuid());
    perf_map_read(&map, pipe, geteuid());
    perf_map_read(&map, file, geteuid() + 1);
    assert_int_equal(chmod(file, 0666), 0);
    perf_map_read(&map, file, geteuid());
    assert_false(map.is_there);
    assert_int_equal(chmod(file, 0600), 0);
    perf_map_read(&map, file, geteuid());
    perf_map_read(&map, file, geteuid()); /* nothing more is in it */
    assert_int_equal(map.functions.count, 1);
    perf_map_fini(&map);
}

/* A sample as Debian's Python 3.13 gave it: the leaf is the interpreter's, whose callers can't be followed, and its
 * stack has the return addresses of two functions of Python among other numbers. */
static void functions_of_python_are_found_on_the_stack(void **state)
{
    char *map = mem_text(path_in(state, "perf-41.map")), *directory = path_directory(map);
    write_file(map,
               "7f0000001000 f py::<module>:/w/prog.py\n7f0000001010 f py::outer:/w/prog.py\n"
               "7f0000001020 f py::inner:/w/prog.py\n",
               0600);
    struct processes processes = {.owner = geteuid(), .maps = directory};
    struct stack_frame frames[STACKS_DEEPEST];
    uint64_t callers[] = {0x400123, 0xdead}, stack[] = {7, 0x7f000000102a, 0x400200, 0x7f000000101a, 1, 0x7f000000100a};
    struct sampled sample = {41, callers, 2, stack, 6};
    processes_name(&processes, 41, "python3", true);
    processes_map(&processes, 41, &(struct mapping){0x400000, 0x1000, 0, "/nowhere/python3.13", NULL});
    assert_int_equal(processes_resolve(&processes, &sample, frames), 4);
    assert_string_equal(frames[0].name, "python3");
    assert_string_equal(frames[1].name, "py::<module>:/w/prog.py");
    assert_string_equal(frames[3].name, "py::inner:/w/prog.py");
    assert_int_equal(processes.python_minor, 13);
    assert_true(processes.python_has_names);
    processes_remove_maps(&processes);
    assert_false(path_exists(map));
    processes_fini(&processes);
    free(directory);
    free(map);
}

static void what_can_not_be_named_is_said(void **state)
{
    (void)state;
    struct buf old = {0}, unset = {0}, fine = {0};
    recording_explain(&(struct recording){.python_minor = 11}, &old);
    recording_explain(&(struct recording){.python_minor = 12}, &unset);
    recording_explain(&(struct recording){.python_minor = 13, .python_has_names = true}, &fine);
    assert_has(buf_str(&old), "Python 3.11 does not tell them");
    assert_has(buf_str(&unset), "PYTHONPERFSUPPORT");
    assert_string_equal(buf_str(&fine), "");
    buf_fini(&old);
    buf_fini(&unset);
}

/* In a process of its own, since a filter stays: perf_event_open fails as it does in a container. */
static int try_where_it_is_forbidden(void)
{
    struct sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
                                   BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                                   BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    struct recording recording;
    struct err err = {""};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        return 77;
    return record_command("touch was_run", &recording, &err) == -1 && strstr(err.text, "the kernel does not let") ? 0
                                                                                                                  : 1;
}

static void where_it_is_forbidden_a_sentence_says_so(void **state)
{
    int status;
    assert_int_equal(chdir(path_in(state, ".")), 0);
    pid_t child = fork();
    if (child == 0)
        _exit(try_where_it_is_forbidden());
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WEXITSTATUS(status) == 77)
        skip_because("what is said where perf_event_open is forbidden: no filter of system calls here");
    assert_int_equal(status, 0);
    assert_false(path_exists("was_run"));
}

/* --- files of machine code --- */

int flame_known_function(int x);
__attribute__((noinline)) int flame_known_function(int x)
{
    return x + 1;
}

static void functions_of_this_program_have_names(void **state)
{
    (void)state;
    struct processes processes = {.owner = geteuid()};
    struct stack_frame frames[STACKS_DEEPEST];
    uint64_t here = (uint64_t)(uintptr_t)flame_known_function;
    processes_read(&processes, getpid());
    size_t count = processes_resolve(&processes, &(struct sampled){getpid(), &here, 1, NULL, 0}, frames);
    assert_int_equal(count, 2);
    assert_string_equal(frames[1].name, "flame_known_function");
    assert_int_equal(frames[1].kind, FRAME_PROGRAM);
    processes_fini(&processes);
}

/* The head of the file, its tables and their numbers: wherever it is damaged, it is read or not, and nothing breaks. */
static void damaged_files_have_fewer_names(void **state)
{
    struct buf whole = {0};
    struct rng rng = rng_make(5, "damage", 0);
    assert_int_equal(path_read("/proc/self/exe", &whole, 1 << 28, NULL), 0);
    const char *path = path_in(state, "damaged");
    for (int round = 0; round < 60; round++) {
        struct symbols symbols;
        size_t length = round % 3 ? whole.length : (size_t)(rng_unit(&rng) * (double)whole.length);
        char *copy = mem_zero(length + 1, 1);
        memcpy(copy, whole.data, length);
        for (int i = 0; i < 4 && length; i++) {
            size_t from = i % 2 || length < 4096 ? 0 : length - 4096, range = i % 2 ? 64 : 4096;
            copy[from + (size_t)(rng_unit(&rng) * (double)(range < length ? range : length))] ^= (char)(1 << (i * 2));
        }
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(copy, 1, length, file), length);
        fclose(file);
        symbols_read(path, &symbols);
        symbols_find_offset(&symbols, (uint64_t)length / 2);
        symbols_fini(&symbols);
        free(copy);
    }
    buf_fini(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_are_counted_along_their_way),
        cmocka_unit_test(a_bottomless_recursion_is_cut),
        cmocka_unit_test(names_are_nothing_but_text),
        cmocka_unit_test(the_drawing_needs_no_network),
        cmocka_unit_test(a_map_gives_names_and_nonsense_none),
        cmocka_unit_test(a_map_of_one_endless_line_takes_no_room),
        cmocka_unit_test_setup_teardown(maps_that_others_can_write_are_left_alone, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(functions_of_python_are_found_on_the_stack, enter_scratch, leave_scratch),
        cmocka_unit_test(what_can_not_be_named_is_said),
        cmocka_unit_test_setup_teardown(where_it_is_forbidden_a_sentence_says_so, enter_scratch, leave_scratch),
        cmocka_unit_test(functions_of_this_program_have_names),
        cmocka_unit_test_setup_teardown(damaged_files_have_fewer_names, enter_scratch, leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
