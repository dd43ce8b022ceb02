/* gannet schema: the JSON Schema of experiment files. */
#include "cli/command.h"
#include "scheduler/spec/spec.h"

#include <stdlib.h>

static int run_schema(struct console *console, const struct args *args)
{
    (void)args;
    json_t *schema = spec_schema();
    char *text = json_dumps(schema, JSON_INDENT(2));
    fprintf(console->out, "%s\n", text);
    free(text);
    json_decref(schema);
    return STATUS_OK;
}

const struct command cmd_schema = {
    .name = "schema",
    .group = GROUP_ASK,
    .summary = "Prints the JSON Schema of experiment files, for editors",
    .text = "An editor that speaks YAML completes and checks experiment files with it: put\n"
            "\"# yaml-language-server: $schema=./experiment.schema.json\" into the file's first line.",
    .examples = "gannet schema > experiment.schema.json",
    .run = run_schema};
