/* CURVE keys in files; see keys.h. A key file is two lines:
 *
 *     public = <40 characters of Z85>
 *     secret = <40 characters of Z85> */
#include "common/keys.h"
#include "common/dump.h"
#include "common/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

enum { KEY_LETTERS = KEY_TEXT - 1, FILE_LARGEST = 4096 };

int keys_make(struct key_pair *pair, struct err *err)
{
    dump_forbid();
    if (zmq_curve_keypair(pair->public, pair->secret))
        return err_set(err, "can't make a key pair: this libzmq was built without CURVE; install one that has it");
    return 0;
}

/* The directory of a file must be private before the file can be. */
static int check_directory(const char *path, struct err *err)
{
    char *directory = path_directory(path);
    int result = path_check_private(directory, err);
    free(directory);
    return result;
}

int keys_write(const char *path, const struct key_pair *pair, struct err *err)
{
    if (check_directory(path, err))
        return -1;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_errno(err, "can't make the key file '%s'", path);
    char text[128];
    int length = snprintf(text, sizeof text, "public = %s\nsecret = %s\n", pair->public, pair->secret);
    int result = 0;
    if (fchmod(fd, 0600) || path_write_all(fd, text, (size_t)length) || fsync(fd) || path_sync_directory(path)) {
        result = err_errno(err, "can't write the key file '%s'", path);
        unlink(path);
    }
    close(fd);
    explicit_bzero(text, sizeof text);
    return result;
}

static int check_file(int fd, const char *path, struct err *err)
{
    struct stat at;
    if (fstat(fd, &at))
        return err_errno(err, "can't look at the key file '%s'", path);
    if (!S_ISREG(at.st_mode))
        return err_set(err, "the key file '%s' is no regular file; remove it and make keys anew", path);
    if (at.st_uid != geteuid())
        return err_set(err, "the key file '%s' belongs to user %u, not to this one; use keys of your own", path,
                       (unsigned)at.st_uid);
    if (at.st_mode & 077)
        return err_set(
            err,
            "the key file '%s' can be read by others (mode %04o): close it with chmod 600 '%s', or make keys "
            "anew if somebody may have read it",
            path, (unsigned)at.st_mode & 07777, path);
    return 0;
}

/* "name = " and a key that Z85 can decode. */
static const char *parse_line(const char *text, const char *name, char key[KEY_TEXT])
{
    size_t length = strlen(name);
    if (strncmp(text, name, length) || strcspn(text + length, "\n") != KEY_LETTERS)
        return NULL;
    memcpy(key, text + length, KEY_LETTERS);
    key[KEY_LETTERS] = '\0';
    unsigned char bytes[32];
    bool good = zmq_z85_decode(bytes, key) != NULL;
    explicit_bzero(bytes, sizeof bytes);
    text += length + KEY_LETTERS;
    return good ? text + strspn(text, "\n") : NULL;
}

static int read_pair(int fd, const char *path, struct key_pair *pair, struct err *err)
{
    char text[FILE_LARGEST];
    ssize_t length = read(fd, text, sizeof text - 1);
    if (length < 0)
        return err_errno(err, "can't read the key file '%s'", path);
    text[length] = '\0';
    const char *at = parse_line(text, "public = ", pair->public);
    at = at ? parse_line(at, "secret = ", pair->secret) : NULL;
    bool good = at && !*at;
    explicit_bzero(text, sizeof text);
    if (good)
        return 0;
    keys_wipe(pair);
    return err_set(err, "'%s' is no key file of gannet; remove it and make keys anew", path);
}

int keys_read(const char *path, struct key_pair *pair, struct err *err)
{
    *pair = (struct key_pair){0};
    dump_forbid();
    if (check_directory(path, err))
        return -1;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && errno == ELOOP)
        return err_set(err, "the key file '%s' is a symbolic link; put the file itself there", path);
    if (fd < 0)
        return err_errno(err, "can't open the key file '%s'", path);
    int result = check_file(fd, path, err);
    if (result == 0)
        result = read_pair(fd, path, pair, err);
    close(fd);
    return result;
}

void keys_wipe(struct key_pair *pair)
{
    explicit_bzero(pair, sizeof *pair);
}
