/* Data sets in files; see data_source.h. */
#include "tests/data_source.h"
#include "tests/claims.h"

#include <stdio.h>

int data_source_open(struct dataset *data, struct dataset_source source, struct err *said)
{
    dataset_close(data);
    said->text[0] = '\0';
    const char **texts[] = {&source.labels, &source.array, &source.label, &source.validation_data,
                            &source.validation_labels};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = *texts[i] ? *texts[i] : "";
    source.base = source.base ? source.base : "tests/data/examples";
    source.validation = source.validation > 0 ? source.validation : 0.5;
    return dataset_open(data, &source, said);
}

void data_source_write(const char *path, const void *bytes, size_t length)
{
    FILE *out = fopen(path, "we"); /* thousands of them, none of which the disk needs to keep */
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, length, out), length);
    assert_int_equal(fclose(out), 0);
}
