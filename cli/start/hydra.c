/* Hydra's help; see hydra.h. The configuration stands in it as YAML:
 *
 *     == Config ==
 *     Override anything in the config (foo.bar=value)
 *
 *     optimizer:
 *       lr: 0.001
 *
 *     Powered by Hydra (https://hydra.cc) */
#include "cli/start/hydra.h"
#include "common/mem.h"
#include "scheduler/spec/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 16, MOST_OPTIONS = 1000 };

/* The part of the help that is the configuration; NULL: there is none. */
static const char *find_config(const char *help, size_t *length)
{
    const char *title = strstr(help, "\n== Config ==\n"), *begin = title ? strstr(title, "(foo.bar=value)\n") : NULL;
    const char *end = begin ? strstr(begin, "\nPowered by Hydra") : NULL;
    if (!end)
        return NULL;
    begin = strchr(begin, '\n') + 1;
    *length = end > begin ? (size_t)(end - begin) : 0;
    return begin;
}

static json_t *read_config(const char *begin, size_t length)
{
    char *text = mem_text_n(begin, length);
    struct problems problems = {0};
    struct tree tree = {0};
    const struct node *culprit;
    struct err err;
    json_t *config = NULL;
    if (load_tree(text, length, (struct load_source){0}, &tree, &problems) && !problems.errors && tree.root)
        config = node_json(tree.root, &culprit, &err);
    tree_fini(&tree);
    problems_fini(&problems);
    free(text);
    return config;
}

static void add_option(json_t *options, const char *name, json_t *value)
{
    json_t *option = json_pack("{s:s, s:b, s:s}", "name", name, "plain", 1, "help", "");
    const char *type = json_is_real(value)      ? "float"
                       : json_is_integer(value) ? "int"
                       : json_is_boolean(value) ? "bool"
                                                : "text";
    json_object_set_new(option, "type", json_string(type));
    if (json_is_array(value))
        json_object_set_new(option, "many", json_true());
    else if (!json_is_null(value))
        json_object_set(option, "default", value);
    json_array_append_new(options, option);
}

/* What stands in parts has their names in front: optimizer.lr. */
static void add_options(json_t *options, const char *before, const json_t *config, int depth)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)config, name, value)
    {
        char *whole = *before ? mem_format("%s.%s", before, name) : mem_text(name);
        if (json_is_object(value) && depth < DEEPEST)
            add_options(options, whole, value, depth + 1);
        else if (json_array_size(options) < MOST_OPTIONS)
            add_option(options, whole, value);
        free(whole);
    }
}

json_t *hydra_options(const char *help)
{
    size_t length;
    const char *text = find_config(help, &length);
    if (!text)
        return NULL;
    json_t *config = read_config(text, length), *options = json_array();
    add_options(options, "", config, 0);
    json_decref(config);
    return options;
}
