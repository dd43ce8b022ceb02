/* PNG of an SVG file; see png.h. */
#include "cli/plot/png.h"
#include "common/path.h"

#include <errno.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const char program[] = "rsvg-convert";

/* Runs it from one descriptor to the other. -1 with a sentence. */
static int run_program(int from, int to, struct err *err)
{
    char *argv[] = {(char *)program, "--format=png", "--zoom=3", "--background-color=white", NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    int failed = posix_spawnp(&pid, program, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    errno = failed;
    if (failed == ENOENT)
        return err_set(err,
                       "PNG needs the program %s, which is not here (Debian and Ubuntu: librsvg2-bin, Rocky: "
                       "librsvg2-tools); FILE.svg needs nothing",
                       program);
    if (failed)
        return err_errno(err, "can't start %s", program);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return err_errno(err, "can't wait for %s", program);
    return status ? err_set(err, "%s has failed; FILE.svg needs nothing", program) : 0;
}

static int read_whole(int from, struct buf *out, struct err *err)
{
    char bytes[65536];
    ssize_t got = -1;
    buf_clear(out);
    if (lseek(from, 0, SEEK_SET) == 0)
        while ((got = read(from, bytes, sizeof bytes)) > 0)
            buf_add(out, bytes, (size_t)got);
    if (got < 0)
        return err_errno(err, "can't read what %s wrote", program);
    return out->length ? 0 : err_set(err, "%s wrote nothing; FILE.svg needs nothing", program);
}

/* --- whose it is --- */

/* The checksum of PNG: CRC-32 of ISO 3309, the lowest bit first. */
static uint32_t checksum(const char *bytes, size_t length)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < length; i++) {
        crc ^= (unsigned char)bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

static void add_number(uint32_t number, struct buf *out)
{
    char bytes[4];
    for (int i = 0; i < 4; i++)
        bytes[i] = (char)(number >> (24 - 8 * i) & 0xff);
    buf_add(out, bytes, sizeof bytes);
}

/* Adds a text chunk with the program's name behind the head, which comes first (PNG, third edition, 11.3.3). */
static void name_writer(struct buf *png)
{
    enum { HEAD = 8 + 12 + 13 }; /* bytes: the signature, and the chunk that has 13 of its own */
    static const char chunk[] = "tEXtSoftware\0gannet";
    struct buf named = {0};
    if (png->length < HEAD || memcmp(png->data + 12, "IHDR", 4) != 0)
        return;
    buf_add(&named, png->data, HEAD);
    add_number(sizeof chunk - 1 - 4, &named);
    buf_add(&named, chunk, sizeof chunk - 1);
    add_number(checksum(chunk, sizeof chunk - 1), &named);
    buf_add(&named, png->data + HEAD, png->length - HEAD);
    buf_fini(png);
    *png = named;
}

int png_of_svg(const struct buf *svg, struct buf *out, struct err *err)
{
    int from = memfd_create("picture.svg", MFD_CLOEXEC), to = memfd_create("picture.png", MFD_CLOEXEC), failed = -1;
    if (from < 0 || to < 0 || path_write_all(from, svg->data, svg->length) || lseek(from, 0, SEEK_SET) < 0)
        (void)err_errno(err, "can't hand the picture to %s", program);
    else
        failed = run_program(from, to, err) || read_whole(to, out, err) ? -1 : 0;
    if (!failed)
        name_writer(out);
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
    return failed;
}
