/* Readers of files of examples, a function for each format; which it is shows at the beginning of the file. All leave
 * the examples in the file's order, training = count. What is refused is refused with the file and the line or byte. */
#ifndef GANNET_WORKER_DATA_READ_H
#define GANNET_WORKER_DATA_READ_H

#include "common/err.h"
#include "common/texts.h"
#include "worker/data/array.h"
#include "worker/data/bytes.h"
#include "worker/data/dataset.h"
#include "worker/data/levels.h"

#include <sys/stat.h>

#define NUMBERS_ARE_LEARNED "Numbers are learned with the kernel gbt and its option learn: numbers"

/* What the parts of a table have in common: names of columns, and of classes. {0} at first. */
struct table_columns {
    char **names;
    size_t count;
    struct levels classes;
    struct array_classes numbers; /* of arrays: which labels are classes */
    size_t stated;                /* classes that the format itself has (CIFAR); 0: none yet */
};
void table_columns_fini(struct table_columns *columns);

/* One part of the data: all of it, or what is trained with, or what is validated with. */
struct dataset_part {
    const struct dataset_source *source;
    const char *file;          /* or a directory (CIFAR) */
    const char *labels;        /* the file of labels; NULL: none was named */
    const char *labels_option; /* that names it */
    bool test;                 /* the test part that is in the same archive or directory */
    struct table_columns *columns;
};

/* Reads all parts that a source names: data->training are of the first, the others of its validation data. -1 with a
 * sentence; close the dataset then, too. */
int read_parts(struct dataset *data, const char *file, const struct dataset_source *source, struct err *err);

/* Adds the paths of all files that read_parts would look at. */
void read_parts_list(const char *file, const struct dataset_source *source, struct texts *paths);

/* A name with `test` for the last `train` in it, or a copy of it. free() it. */
char *part_test_name(const char *name, const char *test);

/* Says that a file of this format has no test part in it; is -1. */
int part_refuse_test(const struct dataset_part *part, struct err *err);

/* Finds out the format and reads. */
int read_part(struct dataset *data, const struct dataset_part *part, struct err *err);

/* Whether a file has arrays: IDX, NPY, NPZ, HDF5. */
bool arrays_are_in(const char *path, const unsigned char magic[BYTES_MAGIC]);

/* The same of one format, or one kind of formats. */
int read_csv(struct dataset *data, const struct dataset_part *part, struct err *err);
int read_arrays(struct dataset *data, const struct dataset_part *part, struct err *err);
int read_cifar(struct dataset *data, const struct dataset_part *part, struct err *err);

/* Whether a file stayed the same while it was read: who replaces data under a search mixes two of them. */
struct file_watch {
    const char *path; /* NULL: there is none */
    struct stat before;
};

/* Notes what a file is like; `path` outlives the watch, NULL is fine. */
struct file_watch file_watch_begin(const char *path);

/* `result`, or -1 with a sentence when the file is another one by now: of what the reading came to nothing is then
 * worth saying. */
int file_watch_end(const struct file_watch *watch, int result, struct err *err);

#endif
