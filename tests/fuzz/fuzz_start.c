/* Fuzzes what `gannet init` reads (libFuzzer): of any help text, or any JSON that a program says its options are, and
 * of any source, comes a file that `gannet check` takes, or no parameter. The first letter says which: h, o or s; of
 * Hydra's help y. */
#include "cli/start/from_program.h"
#include "cli/start/help_text.h"
#include "cli/start/hydra.h"
#include "common/mem.h"
#include "scheduler/spec/spec.h"
#include "tests/fuzz_seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    static const char *const texts[] = {
        "husage: train.py [-h] [--lr LR] --data DIR\n\npositional arguments:\n  model  what\n\noptions:\n"
        "  -b N, --batch-size N  how many (default: 64)\n  --opt {sgd,adam}\n     which (default: sgd)\n"
        "  --amp, --no-amp\n  --drop [FLOAT RANGE]  [default: 0.5; 0<=x<=1]\n",
        "o[{\"name\": \"lr\", \"spelling\": \"--lr\", \"type\": \"float\", \"default\": 0.001, \"help\": \"rate\"},"
        " {\"name\": \"amp\", \"spelling\": \"--amp\", \"type\": \"flag\", \"negative\": \"--no-amp\"},"
        " {\"name\": \"n\", \"spelling\": \"-n\", \"type\": \"int\", \"default\": 3, \"min\": 1, \"max\": 5},"
        " {\"name\": \"opt\", \"choices\": [\"a\", 1, true, \"a\", 1.0], \"default\": \"a\"}]",
        "sprint(f'val_loss={x}')\nwandb.log({'acc': 3})\n",
        "husage: train.py\n\noptions:\n  -b J, --batch-si/e N  how many (default: 64)\n  --amp, --no-{amp}\n",
        "y\n== Config ==\nOverride anything in the config (foo.bar=value)\n\nmodel:\n  lr: 0.1\n  name: adam\n  \"a "
        "b\": 3\n"
        "amp: true\nepochs: 9\nmodel.lr: 2\n\nPowered by Hydra (https://hydra.cc)\n",
        NULL};
    fuzz_seed_texts(texts, 5);
    return 0;
}

/* The file that would be written must be a good one. */
static void check_file(const struct user_program *program, const struct program_answers *asked)
{
    struct sketch sketch;
    struct buf text = {0};
    struct problems problems = {0};
    sketch_init(&sketch, "fuzz.py", "gannet init");
    size_t count = from_program(program, asked, &sketch);
    sketch_write(&sketch, &text);
    struct spec *spec = spec_read_text(buf_str(&text), text.length, "fuzz.yaml", "/fuzz", NULL, 0, &problems);
    if (count && !spec) {
        struct buf shown = {0};
        problems_show(&problems, &shown);
        fprintf(stderr, "%s\n%s\n", buf_str(&shown), buf_str(&text));
        abort();
    }
    spec_destroy(spec);
    problems_fini(&problems);
    buf_fini(&text);
    sketch_fini(&sketch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    struct user_program program = {.source = mem_text("fuzz.py")};
    char *text = mem_text_n((const char *)data + 1, size - 1);
    struct program_answers asked = {.metric = metric_guess(*data == 's' ? text : "")};
    texts_add(&program.words, mem_text("python3"));
    if (*data == 'o')
        asked.options = json_loads(text, 0, NULL);
    if (*data == 'y')
        asked.options = hydra_options(text);
    if (!json_is_array(asked.options)) {
        json_decref(asked.options);
        asked.options = help_text_options(text);
    }
    check_file(&program, &asked);
    json_decref(asked.options);
    user_program_fini(&program);
    free(text);
    return 0;
}
