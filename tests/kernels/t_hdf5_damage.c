/* Damaged files of HDF5 are refused in words, or end libhdf5 in the trainer alone. `t_hdf5_damage FILE` makes a whole
 * one of three classes, for tests/e2e. */
#include "tests/claims.h"

#ifdef HAVE_HDF5
#include "common/buf.h"
#include "tests/kernels/hdf5_files.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a child process does with the file: 0 read, 1 refused with a sentence, 2 refused without or with noise; 3: it
 * died. */
static int open_in_a_child(void **state)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        for (int number = 1; number < SIGRTMIN; number++) /* cmocka would go on from a death */
            signal(number, SIG_DFL);
        alarm(60);
        int noise = open(path_in(state, "noise"), O_RDWR | O_CREAT | O_TRUNC, 0600);
        dup2(noise, 1);
        dup2(noise, 2);
        int result = OPEN(.base = *state, .file = "a.h5");
        _exit(lseek(noise, 0, SEEK_END) ? 2 : result == 0 ? 0 : *said.text ? 1 : 2);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

static void make_small(const char *path)
{
    hid_t file = make_file(path), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(how, 2, SIZES(2, 3));
    H5Pset_deflate(how, 9);
    H5Pset_fletcher32(how);
    add_set(file, "x", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, SIZES(4, 3), how, four);
    add_set(file, "y", H5T_STD_I64LE, H5T_NATIVE_INT, SIZES(4), H5P_DEFAULT, classes);
    H5Pclose(how);
    H5Fclose(file);
}

static void write_bytes(const char *path, const struct buf *file, size_t length)
{
    FILE *out = fopen(path, "we");
    assert_non_null(out);
    assert_int_equal(fwrite(file->data, 1, length, out), length);
    assert_int_equal(fclose(out), 0);
}

/* Where libhdf5 itself dies of a forged file, it is the trainer alone that does. */
static void damaged_files_are_refused_without_noise(void **state)
{
    struct buf file = {0};
    char *path = path_join(*state, "a.h5");
    make_small(path);
    assert_int_equal(path_read(path, &file, 1 << 20, &said), 0);
    for (size_t length = 0; length < file.length; length += length < 64 ? 1 : 61) {
        write_bytes(path, &file, length);
        assert_int_equal(open_in_a_child(state), 1);
    }
    for (size_t at = 0; at < file.length; at += at < 800 ? 1 : 13) {
        file.data[at] = (char)(file.data[at] ^ 0x55);
        write_bytes(path, &file, file.length);
        assert_int_not_equal(open_in_a_child(state), 2);
        file.data[at] = (char)(file.data[at] ^ 0x55);
    }
    free(path);
    buf_fini(&file);
}

static void assert_refused(void **state, const char *sentence)
{
    assert_int_equal(OPEN(.base = *state, .file = "a.h5"), -1);
    assert_has(said.text, "a.h5: ");
    assert_has(said.text, sentence);
    assert_null(strchr(said.text, '\n'));
}

static void another_file_with_this_ending_is_said_to_be_none(void **state)
{
    write_file(path_in(state, "a.h5"), "a,b\n1,2\n", 0600);
    assert_refused(state, "is no HDF5 file, or is not whole (libhdf5: ");
    write_file(path_in(state, "a.h5"), "\x89HDF\r\n\x1a\n", 0600);
    assert_refused(state, "is no HDF5 file, or is not whole (libhdf5: ");
}

/* --- for others --- */

/* Three classes of 8 inputs: which of the first three is the largest. */
static int make_separable(const char *path)
{
    enum { N = 300, INPUTS = 8 };
    static float x[N * INPUTS];
    static int y[N];
    for (int n = 0; n < N; n++) {
        y[n] = n % 3;
        for (int i = 0; i < INPUTS; i++)
            x[n * INPUTS + i] = (float)sin(n * INPUTS + i) + (i == y[n] ? 2.0f : 0.0f);
    }
    hid_t file = make_file(path), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(how, 2, SIZES(64, INPUTS));
    H5Pset_deflate(how, 6);
    add_set(file, "train/inputs", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, SIZES(N, INPUTS), how, x);
    add_set(file, "train/classes", H5T_STD_U8LE, H5T_NATIVE_INT, SIZES(N), H5P_DEFAULT, y);
    H5Pclose(how);
    return H5Fclose(file) < 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return make_separable(argv[1]);
    use_built_module();
#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_scratch, forget)
    const struct CMUnitTest tests[] = {
        CLAIM(damaged_files_are_refused_without_noise),
        CLAIM(another_file_with_this_ending_is_said_to_be_none),
    };
    return cmocka_run_group_tests_name("hdf5_damage", tests, NULL, NULL);
}

#else

static void damaged_files_are_refused(void **state)
{
    (void)state;
    skip_because("libhdf5 is not here, so reading damaged HDF5 files was not tried: apt-get install libhdf5-dev");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_files_are_refused)};
    return cmocka_run_group_tests_name("hdf5_damage", tests, NULL, NULL);
}
#endif
