/* Examples from a CSV file; see read.h. */
#include "worker/data/read.h"

#include "common/csv.h"
#include "common/mem.h"
#include "common/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct table_reader {
    struct dataset *data;
    const char *path;
    const struct dataset_source *source;
    struct table_columns *known; /* of the part that was read before */
    char **names;                /* of the columns */
    size_t columns, at;          /* at: the label's column */
    size_t x_capacity, label_capacity;
};

/* The columns of validation data are those of the training part, in the same order. */
static int check_columns(struct table_reader *reader, struct err *err)
{
    struct table_columns *known = reader->known;
    if (!known->names) {
        known->names = reader->names;
        known->count = reader->columns;
        return 0;
    }
    if (known->count != reader->columns)
        return err_set(err, "%s: has %zu columns, and the other part has %zu", reader->path, reader->columns,
                       known->count);
    for (size_t i = 0; i < known->count; i++)
        if (strcmp(known->names[i], reader->names[i]) != 0)
            return err_set(err, "%s: column %zu is '%s', and that of the other part is '%s'", reader->path, i + 1,
                           reader->names[i], known->names[i]);
    return 0;
}

/* A table that a spreadsheet or numpy.savetxt wrote with another character between its columns. */
static int refuse_one_column(const struct table_reader *reader, const char *cell, struct err *err)
{
    const char *between = strpbrk(cell, ";\t|");
    return err_set(err, "%s: has one column; a label and at least one input are needed%s%s", reader->path,
                   !between           ? ""
                   : *between == '\t' ? "; its columns are separated by tabs, and"
                   : *between == ';'  ? "; its columns are separated by ';', and"
                                      : "; its columns are separated by '|', and",
                   between ? " commas are read" : "");
}

static int read_header(struct table_reader *reader, char *const *cells, size_t count, struct err *err)
{
    reader->names = MEM_ARRAY(char *, count);
    reader->columns = count;
    reader->at = count - 1;
    reader->data->inputs = count - 1;
    const char *label = reader->source->label;
    bool found = !*label;
    for (size_t i = 0; i < count; i++) {
        reader->names[i] = mem_text(cells[i]);
        if (!*label || strcmp(cells[i], label) != 0)
            continue;
        reader->at = i;
        found = true;
    }
    if (count < 2)
        return refuse_one_column(reader, cells[0], err);
    if (!found)
        return err_set(err, "%s: has no column '%s' for the option 'label'; its columns are %s, ... %s", reader->path,
                       label, cells[0], cells[count - 1]);
    if (!*cells[0])
        return err_set(err,
                       "%s: its first column has no name, as the index has that pandas writes; it would be an input. "
                       "Write the table without it: index=False (R: row.names=FALSE)",
                       reader->path);
    return check_columns(reader, err);
}

static int read_class(struct table_reader *reader, size_t line, const char *cell, struct err *err)
{
    struct dataset *data = reader->data;
    MEM_GROW(data->labels, reader->label_capacity, data->count + 1);
    data->labels[data->count] = (int32_t)levels_add(&reader->known->classes, cell);
    data->classes = reader->known->classes.count;
    if (data->classes > DATASET_MOST_CLASSES)
        return err_set(
            err,
            "%s:%zu: column '%s' has more than %d different values; is it the label of a class? " NUMBERS_ARE_LEARNED,
            reader->path, line, reader->names[reader->at], DATASET_MOST_CLASSES);
    return 0;
}

static int read_target(struct table_reader *reader, size_t line, const char *cell, struct err *err)
{
    struct dataset *data = reader->data;
    double number;
    MEM_GROW(data->targets, reader->label_capacity, data->count + 1);
    if (!units_number(cell, &number) || !isfinite((float)number))
        return err_set(err, "%s:%zu: column '%s', the number to be learned, holds '%.40s', which is no number",
                       reader->path, line, reader->names[reader->at], cell);
    data->targets[data->count] = (float)number;
    return 0;
}

static int read_label(struct table_reader *reader, size_t line, const char *cell, struct err *err)
{
    if (!*cell)
        return err_set(err, "%s:%zu: the label, column '%s', is empty", reader->path, line, reader->names[reader->at]);
    return (reader->source->numbers ? read_target : read_class)(reader, line, cell, err);
}

static bool is_missing(const struct table_reader *reader, const char *cell)
{
    return reader->source->missing &&
           (!*cell || strcasecmp(cell, "nan") == 0 || strcasecmp(cell, "na") == 0 || strcmp(cell, "?") == 0);
}

static int read_input(const struct table_reader *reader, size_t line, size_t column, const char *cell, float *out,
                      struct err *err)
{
    double number = NAN;
    if (!is_missing(reader, cell) && (!units_number(cell, &number) || !isfinite((float)number)))
        return err_set(err, "%s:%zu: column '%s' %s%.40s%s", reader->path, line, reader->names[column],
                       *cell ? "holds '"
                             : "is empty; the kernel gbt takes missing inputs, lstm and transformer "
                               "those behind the end of a sequence (padding: nan)",
                       cell, *cell ? "', which is no number; write texts as numbers, or leave the column out" : "");
    *out = (float)number;
    return 0;
}

static int read_example(void *context, size_t line, char *const *cells, size_t count, struct err *err)
{
    struct table_reader *reader = context;
    struct dataset *data = reader->data;
    if (!reader->names)
        return read_header(reader, cells, count, err);
    MEM_GROW(data->x, reader->x_capacity, (data->count + 1) * data->inputs);
    if (read_label(reader, line, cells[reader->at], err))
        return -1;
    float *x = data->x + data->count * data->inputs;
    for (size_t i = 0; i < count; i++)
        if (i != reader->at && read_input(reader, line, i, cells[i], x++, err))
            return -1;
    data->count++;
    return 0;
}

static void free_names(char **names, size_t count)
{
    for (size_t i = 0; names && i < count; i++)
        free(names[i]);
    free(names);
}

void table_columns_fini(struct table_columns *columns)
{
    levels_fini(&columns->classes);
    free_names(columns->names, columns->count);
    *columns = (struct table_columns){0};
}

/* Whether the columns are called 0, 1, 2, ... or 1, 2, 3, ..., as pandas calls them. */
static bool counts_columns(const struct table_reader *reader)
{
    double first, number;
    if (!units_number(reader->names[0], &first) || (first != 0 && first != 1))
        return false;
    for (size_t i = 0; i < reader->columns; i++)
        if (i != reader->at && (!units_number(reader->names[i], &number) || number != first + (double)i))
            return false;
    return true;
}

/* A table without a header would lose its first example: its names are then numbers, and a label. */
static int check_names(const struct table_reader *reader, struct err *err)
{
    const char *label = reader->names[reader->at];
    double number;
    uint32_t code;
    for (size_t i = 0; i < reader->columns; i++)
        if (i != reader->at && !units_number(reader->names[i], &number))
            return 0;
    json_t *text = json_string(label);
    bool is_label =
        reader->source->numbers ? units_number(label, &number) : levels_find(&reader->known->classes, text, &code);
    json_decref(text);
    if (!is_label || counts_columns(reader))
        return 0;
    return err_set(err,
                   "%s: its first line is an example, %.20s, ... %.20s; a line of the columns' names is needed first",
                   reader->path, reader->names[0], reader->names[reader->columns - 1]);
}

/* A second column of the label's name would be an input that says the label. */
static int check_label(const struct table_reader *reader, struct err *err)
{
    const char *label = reader->names[reader->at];
    for (size_t i = 0; i < reader->columns; i++)
        if (i != reader->at && strcmp(reader->names[i], label) == 0)
            return err_set(err,
                           "%s: the columns %zu and %zu are both called '%s', as the label is; it would be an input, "
                           "too. Leave one of them out, or give it another name",
                           reader->path, (i < reader->at ? i : reader->at) + 1, (i < reader->at ? reader->at : i) + 1,
                           label);
    return 0;
}

int read_csv(struct dataset *data, const struct dataset_part *part, struct err *err)
{
    if (part->test)
        return part_refuse_test(part, err);
    if (part->labels)
        return err_set(err,
                       "%s: is a CSV file, in which the option 'label' names a column; '%s' is the file of labels "
                       "beside an IDX or NPY file",
                       part->file, part->labels_option);
    struct table_reader reader = {.data = data, .path = part->file, .source = part->source, .known = part->columns};
    int result = csv_read(part->file, read_example, &reader, err);
    data->training = data->count;
    if (!result && !data->count)
        result = err_set(err, "%s: has no example, only a header; each line behind that is one", part->file);
    if (!result)
        result = check_names(&reader, err) || check_label(&reader, err) ? -1 : 0;
    if (reader.names != part->columns->names)
        free_names(reader.names, reader.columns);
    return result;
}
