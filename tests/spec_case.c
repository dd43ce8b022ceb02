/* Walking the experiment files of the tests; see spec_case.h. */
#include "tests/spec_case.h"
#include "common/mem.h"
#include "common/path.h"
#include "tests/claims.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_FILE = 1 << 20 };

static void read_overrides(struct spec_case *one)
{
    char *path = mem_format("%s/%s.set", one->directory, one->name);
    if (path_exists(path))
        assert_int_equal(path_read(path, &one->override_text, LARGEST_FILE, NULL), 0);
    free(path);
    char *rest = one->override_text.data;
    for (char *line; rest && (line = strsep(&rest, "\n")) && *line;) {
        assert_true(one->override_count < sizeof one->overrides / sizeof *one->overrides);
        one->overrides[one->override_count++] = line;
    }
}

void spec_case_each(const char *directory, void (*each)(const struct spec_case *, void *), void *context)
{
    glob_t found;
    char *pattern = mem_format("%s/*.yaml", directory);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct spec_case one = {.directory = mem_text(directory)};
        const char *base = path_base(found.gl_pathv[i]);
        one.name = mem_text_n(base, strlen(base) - strlen(".yaml"));
        assert_int_equal(path_read(found.gl_pathv[i], &one.text, LARGEST_FILE, NULL), 0);
        read_overrides(&one);
        each(&one, context);
        free(one.directory);
        free(one.name);
        buf_fini(&one.text);
        buf_fini(&one.override_text);
    }
    globfree(&found);
    free(pattern);
}

struct spec *spec_case_read(const struct spec_case *one, struct problems *problems)
{
    char *file = mem_format("%s.yaml", one->name);
    struct spec *spec = spec_read_text(buf_str(&one->text), one->text.length, file, "/base", one->overrides,
                                       one->override_count, problems);
    free(file);
    return spec;
}

void spec_case_show(struct problems *problems, struct buf *out)
{
    problems_show(problems, out);
    problems_summary(problems, "nothing was started", out);
}

bool spec_case_expect(const struct spec_case *one, const char *ending, const char *text)
{
    struct buf expected = {0};
    bool equal = true;
    char *path = mem_format("%s/%s.%s", one->directory, one->name, ending);
    if (getenv("GANNET_ACCEPT")) {
        if (*text)
            assert_int_equal(path_write(path, text, strlen(text), 0644, NULL), 0);
        else
            unlink(path);
    } else {
        if (path_exists(path))
            assert_int_equal(path_read(path, &expected, LARGEST_FILE, NULL), 0);
        equal = strcmp(buf_str(&expected), text) == 0;
        if (!equal)
            print_error("%s\n--- expected ---\n%s--- but it is ---\n%s", path, buf_str(&expected), text);
    }
    buf_fini(&expected);
    free(path);
    return equal;
}
