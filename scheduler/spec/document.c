/* docs/experiment.md: prose, and the table of keys as tables; see spec.h. Every example in it that is marked as YAML is
 * read by a test. */
#include "scheduler/spec/document_prose.h"
#include "scheduler/spec/foreign.h"
#include "scheduler/spec/type.h"

#include <string.h>

/* --- what a key takes --- */

/* A bound that nobody meets is not worth its digits. */
static void add_bounds(struct buf *out, const struct key *key)
{
    if (key->max < 1e6)
        buf_format(out, " from %g to %g", key->min, key->max);
    else
        buf_format(out, ", at least %g", key->min);
}

static void add_taken(struct buf *out, const struct key *key)
{
    if (key->words) {
        for (size_t i = 0; key->words[i]; i++)
            buf_format(out, "%s`%s`", i ? ", " : "", key->words[i]);
        return;
    }
    buf_text(out, key->type->words);
    if (key->type == &type_whole)
        add_bounds(out, key);
}

static void add_default(struct buf *out, const struct key *key)
{
    if (key->flags & KEY_REQUIRED)
        buf_text(out, "**required**");
    else if (key->default_value)
        buf_format(out, "`%s`", key->default_value);
    else
        buf_text(out, key->default_words ? key->default_words : "none");
}

/* --- tables of keys --- */

static void document_key(struct buf *out, const struct key *key)
{
    buf_format(out, "| `%s`%s | ", key->path, key->flags & KEY_ON_RESUME ? " ↻" : "");
    add_taken(out, key);
    buf_text(out, " | ");
    add_default(out, key);
    buf_format(out, " | %s. |\n", key->help);
}

/* The keys of a section, then those that come later in a sentence. */
static void document_section(struct buf *out, const char *section)
{
    const char *between = "";
    buf_text(out, "| key | takes | default | meaning |\n|---|---|---|---|\n");
    for (const struct key *key = NULL; (key = key_next(section, key));)
        if (!(key->flags & KEY_LATER))
            document_key(out, key);
    for (const struct key *key = NULL; (key = key_next(section, key));)
        if (key->flags & KEY_LATER) {
            buf_format(out, "%s`%s`", *between ? between : "\nTo come, and refused until then: ", key->path);
            between = ", ";
        }
    buf_text(out, *between ? ".\n" : "");
}

static void document_parameter_key(struct buf *out, const struct key *key)
{
    static const struct {
        unsigned form;
        const char *name;
    } forms[] = {
        {KEY_IN_RANGE, "range"}, {KEY_IN_CHOICE, "choice"}, {KEY_IN_NORMAL, "normal"}, {KEY_IN_CONSTANT, "constant"}};
    const char *between = "";
    buf_format(out, "| `%s` | ", key_name(key));
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (key->flags & forms[i].form && (key->flags & KEY_IN_ANY) != KEY_IN_ANY) {
            buf_format(out, "%s%s", between, forms[i].name);
            between = ", ";
        }
    buf_text(out, *between ? " | " : "all | ");
    add_taken(out, key);
    buf_text(out, " | ");
    add_default(out, key);
    buf_format(out, " | %s. |\n", key->help);
}

static void document_parameter_keys(struct buf *out)
{
    for (const struct key *key = NULL; (key = key_next("parameters.*", key));)
        document_parameter_key(out, key);
}

/* --- the other tables --- */

static void document_codes(struct buf *out)
{
    for (enum problem_code code = 0; code < PROBLEM_CODES_COUNT; code++)
        buf_format(out, "| `%s` | %s | %s |\n", problem_kinds[code].name,
                   problem_kinds[code].warning ? "warning" : "error", problem_kinds[code].meaning);
}

static void document_foreign_keys(struct buf *out)
{
    for (size_t i = 0; i < foreign_key_count; i++) {
        const struct foreign *row = &foreign_keys[i];
        bool in_parameter = strcmp(row->section, "parameters.*") == 0;
        buf_format(out, "| %s | `%s`%s | ", row->tool, row->name, in_parameter ? " of a parameter" : "");
        if (row->advice)
            buf_text(out, row->advice);
        else
            buf_format(out, "`%s`", in_parameter ? strrchr(row->here, '.') + 1 : row->here);
        buf_text(out, " |\n");
    }
}

/* A section with its heading, its table and what there is to say about it. */
static void document_part(struct buf *out, const char *section, const char *prose)
{
    buf_format(out, "\n## %s\n\n", section);
    document_section(out, section);
    buf_text(out, prose);
}

void spec_document(struct buf *out)
{
    buf_text(out, document_intro_text);
    document_section(out, "");
    buf_text(out, document_rest_text);
    document_part(out, "trial", document_trial_text);
    document_part(out, "metric", document_metric_text);
    buf_text(out, "\n## parameters\n");
    buf_text(out, document_parameters_text);
    document_parameter_keys(out);
    document_part(out, "strategy", "");
    document_part(out, "limits", "");
    document_part(out, "resources", "");
    document_part(out, "profile", "");
    document_part(out, "notify", document_notify_text);
    document_part(out, "network", document_network_text);
    document_part(out, "slurm", document_slurm_text);
    buf_text(out, document_yaml_text);
    buf_text(out, document_errors_text);
    document_codes(out);
    buf_text(out, document_reported_text);
    buf_text(out, document_foreign_text);
    document_foreign_keys(out);
}
