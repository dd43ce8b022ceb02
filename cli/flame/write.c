/* Writing recordings; see write.h. */
#include "cli/flame/write.h"
#include "cli/flame/sampler.h"
#include "cli/flame/svg.h"
#include "common/path.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const options[] = {"flame", "folded"};
enum { OPTIONS = sizeof options / sizeof *options };

bool flame_is_wanted(const struct args *args)
{
    return args_has(args, "flame") || args_has(args, "folded");
}

/* "-" is the standard output, as of --trace. */
static bool is_output(const char *path)
{
    return strcmp(path, "-") == 0;
}

int flame_check(const struct args *args, struct err *err)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        const char *path = args_text(args, options[i], NULL);
        char *directory = path && !is_output(path) ? path_directory(path) : NULL;
        int failed = directory && access(directory, W_OK) ? err_errno(err, "can't write %s", path) : 0;
        free(directory);
        if (failed)
            return -1;
    }
    return 0;
}

static int write_file(struct console *console, const char *path, struct buf *text, struct err *err)
{
    bool prints = path && is_output(path);
    int failed = path && !prints ? path_put(path, text->data, text->length, 0644, err) : 0;
    if (prints)
        console_print(console, text);
    buf_fini(text);
    return failed;
}

static int write_files(struct console *console, const struct args *args, const char *title,
                       const struct recording *recording, const char *note, struct err *err)
{
    struct buf svg = {0}, folded = {0};
    svg_draw(&recording->stacks, title, note, &svg);
    stacks_write_folded(&recording->stacks, &folded);
    int failed = write_file(console, args_text(args, "flame", NULL), &svg, err);
    if (failed)
        buf_fini(&folded);
    return failed ? -1 : write_file(console, args_text(args, "folded", NULL), &folded, err);
}

int flame_write(struct console *console, const struct args *args, const char *title, const struct recording *recording,
                struct err *err)
{
    struct buf note = {0}, missing = {0};
    uint64_t samples = recording->stacks.root.total;
    if (!samples)
        return err_set(err, "no sample in %.1f s: it used no processor, or less than a hundredth of a second",
                       recording->seconds);
    recording_explain(recording, &missing);
    buf_format(&note, "%" PRIu64 " sample%s in %.1f s, %d in each second of a processor's time outside the kernel",
               samples, samples == 1 ? "" : "s", recording->seconds, SAMPLER_RATE);
    buf_format(&note, "%s%s", missing.length ? "; " : "", buf_str(&missing));
    int failed = write_files(console, args, title, recording, buf_str(&note), err);
    for (size_t i = 0; i < OPTIONS && !failed; i++)
        if (args_has(args, options[i]))
            console_tell(console, "%s: %s",
                         is_output(args_text(args, options[i], "")) ? options[i] : args_text(args, options[i], ""),
                         buf_str(&note));
    buf_fini(&note);
    buf_fini(&missing);
    return failed;
}
