/* gannet kernels: the built-in training kernels, or one of them with its options and parameters. */
#include "cli/commands.h"
#include "cli/data/catalog.h"
#include "cli/json.h"
#include "cli/view/method.h"

static void explain_kernel(const json_t *kernel, const struct look *look, struct buf *out)
{
    const json_t *options = json_object_get(kernel, "options"), *params = json_object_get(kernel, "params"), *row;
    json_t *fixed = json_array(); /* options that can't be searched */
    size_t index;
    json_array_foreach(options, index, row)
    {
        if (!json_named(params, json_text(row, "name")))
            json_array_append(fixed, (json_t *)row);
    }
    look_add(look, TINT_STRONG, json_text(kernel, "name"), out);
    buf_format(out, ": %s\nIt reports %s.\n\n", json_text(kernel, "summary"), method_metrics(kernel));
    method_options_draw("trial.options", "type", fixed, look, out);
    buf_text(out, "\n");
    method_options_draw("parameters", "type", params, look, out);
    if (json_array_size(params) && json_named(options, json_text(json_array_get(params, 0), "name")))
        buf_text(out, "\nA parameter that is not searched can be fixed in trial.options.\n");
    json_decref(fixed);
}

static int run_kernels(struct console *console, const struct args *args)
{
    static const struct method_kind kind = {.title = "kernel",
                                            .unknown = "there is no kernel",
                                            .plural = "kernels",
                                            .hint = "`gannet kernels NAME` lists a kernel's options and parameters.",
                                            .metrics = true,
                                            .explain = explain_kernel};
    struct err err;
    json_t *list = catalog_read(&err);
    int status = list ? method_show(console, &kind, list, args_rest(args, 0), args_has(args, "json"))
                      : console_fail(console, STATUS_FAILED, &err);
    json_decref(list);
    return status;
}

static const struct argument arguments[] = {{"KERNEL", "the one to explain", false}, {0}};
static const struct option options[] = {OPTION_JSON("an array of objects; with KERNEL one of them"), {0}};

const struct command cmd_kernels = {.name = "kernels",
                                    .group = GROUP_ASK,
                                    .summary = "Lists the built-in training kernels, or explains one",
                                    .arguments = arguments,
                                    .options = options,
                                    .examples = "gannet kernels mlp",
                                    .run = run_kernels};
