/* Tables of measured configurations; see lookup.h. A row's configuration is kept as the codes of its cells (levels.h)
 * and found by their hash; the rows of a learning curve are linked in the order of their steps. */
#include "worker/data/lookup.h"

#include "common/buf.h"
#include "common/hash.h"
#include "common/map.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/units.h"
#include "common/csv.h"
#include "worker/data/levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum role { ROLE_PARAM, ROLE_METRIC, ROLE_STEP };

struct lookup_column {
    char *name;
    enum role role;
    struct levels levels; /* of a parameter */
};

/* What is known of one row beside its codes and values. */
struct lookup_row {
    int64_t step;
    size_t line; /* in the file */
    size_t next; /* the row of the configuration's next step; itself: none */
    size_t last; /* of a configuration's first row: its last row so far */
};

struct lookup {
    const char *path;                 /* valid during lookup_open */
    char *file;                       /* the path's last part, for sentences */
    const struct lookup_roles *roles; /* valid during lookup_open */
    struct lookup_column *columns;    /* as in the file */
    size_t count, column_capacity;
    size_t params, metrics; /* columns of these roles */

    struct lookup_row *rows;
    uint32_t *codes; /* row by row, `params` each */
    double *values;  /* row by row, `metrics` each */
    size_t row_count, row_capacity, code_capacity, value_capacity;
    struct map firsts; /* from the hash of a configuration to its first row */
    uint32_t *wanted;  /* the configuration that is looked for; `params` */
};

static bool is_repeat(const char *name, const char *metric)
{
    size_t length = strlen(metric);
    return strncmp(name, metric, length) == 0 && strncmp(name + length, ".s", 2) == 0 && name[length + 2] &&
           strspn(name + length + 2, "0123456789") == strlen(name + length + 2);
}

static enum role role_of(const struct lookup_roles *roles, const char *name)
{
    if (strcmp(name, roles->step) == 0)
        return ROLE_STEP;
    if (strcmp(name, roles->metric) == 0 || is_repeat(name, roles->metric))
        return ROLE_METRIC;
    for (size_t i = 0; i < json_array_size(roles->also); i++) {
        const char *other = json_string_value(json_array_get(roles->also, i));
        if (other && strcmp(name, other) == 0)
            return ROLE_METRIC;
    }
    return ROLE_PARAM;
}

/* "a, b, c": the columns of a role. */
static void list_columns(const struct lookup *lookup, enum role role, struct buf *out)
{
    for (size_t i = 0; i < lookup->count; i++)
        if (lookup->columns[i].role == role)
            buf_format(out, out->length ? ", %s" : "%s", lookup->columns[i].name);
}

static int check_metrics(const struct lookup *lookup, struct err *err)
{
    if (lookup->metrics)
        return 0;
    struct buf names = {0};
    list_columns(lookup, ROLE_PARAM, &names);
    err_write(err, "%s: has no column '%s', the metric; its columns are %s", lookup->path, lookup->roles->metric,
              buf_str(&names));
    buf_fini(&names);
    return -1;
}

static int read_header(struct lookup *lookup, char *const *cells, size_t count, struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++)
            if (strcmp(cells[i], cells[j]) == 0)
                return err_set(err, "%s:1: the columns %zu and %zu have the same name '%s'", lookup->path, j + 1, i + 1,
                               cells[i]);
        MEM_GROW(lookup->columns, lookup->column_capacity, i + 1);
        enum role role = role_of(lookup->roles, cells[i]);
        lookup->columns[i] = (struct lookup_column){.name = mem_text(cells[i]), .role = role};
        lookup->count++;
        lookup->params += role == ROLE_PARAM;
        lookup->metrics += role == ROLE_METRIC;
    }
    lookup->wanted = MEM_ARRAY(uint32_t, lookup->params);
    return check_metrics(lookup, err);
}

/* A metric's cell; an empty one and any spelling of NaN are NaN. */
static bool read_value(const char *cell, double *value)
{
    *value = NAN;
    return !*cell || units_number(cell, value);
}

/* Reads the cells into the row's codes and values, and its step. */
static int read_cells(struct lookup *lookup, struct lookup_row *row, char *const *cells, struct err *err)
{
    uint32_t *code = lookup->codes + lookup->row_count * lookup->params;
    double *value = lookup->values + lookup->row_count * lookup->metrics;
    for (size_t i = 0; i < lookup->count; i++) {
        struct lookup_column *column = &lookup->columns[i];
        if (column->role == ROLE_PARAM)
            *code++ = levels_add(&column->levels, cells[i]);
        else if (column->role == ROLE_METRIC && !read_value(cells[i], value++))
            return err_set(err, "%s:%zu: column '%s' holds '%.40s', which is no number", lookup->path, row->line,
                           column->name, cells[i]);
        else if (column->role == ROLE_STEP && (!units_integer(cells[i], &row->step) || row->step < 0))
            return err_set(err, "%s:%zu: column '%s' holds '%.40s'; a step is an integer from 0", lookup->path,
                           row->line, column->name, cells[i]);
    }
    return 0;
}

static const uint32_t *codes_of(const struct lookup *lookup, size_t row)
{
    return lookup->codes + row * lookup->params;
}

/* The first row of a configuration, counted from 1; 0: there is none. *key is where it is or would go: two
 * configurations may have the same hash, the later one is at the next free key. */
static size_t find_first(const struct lookup *lookup, const uint32_t *codes, uint64_t *key)
{
    size_t bytes = lookup->params * sizeof *codes, row;
    *key = hash_bytes(HASH_START, codes, bytes);
    while ((row = (size_t)(uintptr_t)map_get(&lookup->firsts, *key)) &&
           memcmp(codes_of(lookup, row - 1), codes, bytes) != 0)
        ++*key;
    return row;
}

/* Links the newest row behind the others of its configuration. */
static int link_row(struct lookup *lookup, struct err *err)
{
    size_t new = lookup->row_count;
    struct lookup_row *row = &lookup->rows[new];
    uint64_t key;
    size_t first = find_first(lookup, codes_of(lookup, new), &key);
    row->next = row->last = new;
    if (!first) {
        map_put(&lookup->firsts, key, (void *)(uintptr_t)(new + 1)); /* a number, since rows move */
        return 0;
    }
    struct lookup_row *last = &lookup->rows[lookup->rows[first - 1].last];
    if (last->step == row->step)
        return err_set(err, "%s:%zu: has the same configuration as line %zu", lookup->path, row->line, last->line);
    if (last->step > row->step)
        return err_set(err, "%s:%zu: the steps of a configuration must ascend; line %zu has a later one", lookup->path,
                       row->line, last->line);
    last->next = lookup->rows[first - 1].last = new;
    return 0;
}

static int read_row(void *context, size_t line, char *const *cells, size_t count, struct err *err)
{
    struct lookup *lookup = context;
    if (!lookup->columns)
        return read_header(lookup, cells, count, err);
    size_t rows = lookup->row_count + 1;
    MEM_GROW(lookup->rows, lookup->row_capacity, rows);
    MEM_GROW(lookup->codes, lookup->code_capacity, rows * lookup->params + 1); /* there, even without parameters */
    MEM_GROW(lookup->values, lookup->value_capacity, rows * lookup->metrics);
    lookup->rows[lookup->row_count] = (struct lookup_row){.line = line};
    if (read_cells(lookup, &lookup->rows[lookup->row_count], cells, err) || link_row(lookup, err))
        return -1;
    lookup->row_count = rows;
    return 0;
}

struct lookup *lookup_open(const char *path, const struct lookup_roles *roles, struct err *err)
{
    struct lookup *lookup = MEM_NEW(struct lookup);
    lookup->path = path;
    lookup->roles = roles;
    lookup->file = mem_text(path_base(path));
    if (csv_read(path, read_row, lookup, err)) {
        lookup_close(lookup);
        return NULL;
    }
    return lookup;
}

void lookup_close(struct lookup *lookup)
{
    if (!lookup)
        return;
    for (size_t i = 0; i < lookup->count; i++) {
        levels_fini(&lookup->columns[i].levels);
        free(lookup->columns[i].name);
    }
    map_fini(&lookup->firsts);
    free(lookup->columns);
    free(lookup->rows);
    free(lookup->codes);
    free(lookup->wanted);
    free(lookup->values);
    free(lookup->file);
    free(lookup);
}

/* --- finding --- */

static bool is_param(const struct lookup *lookup, const char *name)
{
    for (size_t i = 0; i < lookup->count; i++)
        if (lookup->columns[i].role == ROLE_PARAM && strcmp(lookup->columns[i].name, name) == 0)
            return true;
    return false;
}

static int check_names(const struct lookup *lookup, const json_t *params, struct err *err)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)params, name, value)
    {
        if (is_param(lookup, name))
            continue;
        struct buf names = {0};
        list_columns(lookup, ROLE_PARAM, &names);
        err_write(err, "%s has no column '%s' of parameters; these are: %s", lookup->file, name, buf_str(&names));
        buf_fini(&names);
        return -1;
    }
    return 0;
}

/* Says what is not in the table: `what` with a value. */
static int not_there(const struct lookup *lookup, const char *what, const json_t *value, struct err *err)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    err_write(err, "no row of %s has %s %s", lookup->file, what, text ? text : "?");
    free(text);
    return -1;
}

/* The configuration's codes into lookup->wanted. */
static int encode_params(struct lookup *lookup, const json_t *params, struct err *err)
{
    uint32_t *code = lookup->wanted;
    for (size_t i = 0; i < lookup->count; i++) {
        struct lookup_column *column = &lookup->columns[i];
        if (column->role != ROLE_PARAM)
            continue;
        const json_t *value = json_object_get(params, column->name);
        if (levels_find(&column->levels, value, code++))
            continue;
        if (!value)
            return err_set(err, "the configuration says nothing of '%s', a column of %s", column->name, lookup->file);
        return not_there(lookup, column->name, value, err);
    }
    return 0;
}

int lookup_find(struct lookup *lookup, const json_t *params, size_t *row, struct err *err)
{
    uint64_t key;
    if (check_names(lookup, params, err) || encode_params(lookup, params, err))
        return -1;
    size_t first = find_first(lookup, lookup->wanted, &key);
    if (!first)
        return not_there(lookup, "the configuration", params, err);
    *row = first - 1;
    return 0;
}

size_t lookup_next(const struct lookup *lookup, size_t row)
{
    return lookup->rows[row].next;
}

bool lookup_has_steps(const struct lookup *lookup)
{
    return lookup->params + lookup->metrics < lookup->count;
}

int64_t lookup_step(const struct lookup *lookup, size_t row)
{
    return lookup->rows[row].step;
}

/* --- metrics --- */

size_t lookup_metrics(const struct lookup *lookup)
{
    return lookup->metrics;
}

int lookup_column(const struct lookup *lookup, const char *name)
{
    int metric = 0;
    for (size_t i = 0; i < lookup->count; i++) {
        if (lookup->columns[i].role != ROLE_METRIC)
            continue;
        if (strcmp(lookup->columns[i].name, name) == 0)
            return metric;
        metric++;
    }
    return -1;
}

double lookup_value(const struct lookup *lookup, size_t row, size_t metric)
{
    return lookup->values[row * lookup->metrics + metric];
}
