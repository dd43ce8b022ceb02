/* What programs say on their streams: a line that is taken keeps within its limits, and one that is refused says why.
 */
#include "worker/program/stream_line.h"
#include "tests/fuzz_seeds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const seeds[] = {
    "{\"gannet\": 1, \"token\": \"0123\", \"rank\": 0}",
    "{\"metric\": {\"loss\": 0.3, \"acc\": \"nan\"}, \"step\": 4, \"should_stop\": true}",
    "{\"phase\": \"data\", \"seconds\": 0.5, \"count\": 3}",
    "{\"gannet\": 1, \"token\": \"0123\", \"serve\": 1}",
    "{\"ended\": 12, \"attempt\": 1, \"status\": 1, \"detail\": \"ValueError\"}",
    "{\"begin\": \"io/write\", \"end\": \"data\", \"checkpoint\": true}",
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fuzz_seed_texts(seeds, sizeof seeds / sizeof *seeds);
    return 0;
}

static void require(bool truth)
{
    if (!truth)
        abort();
}

static void check_metrics(const json_t *metrics)
{
    const char *name;
    json_t *value;
    double number;
    json_object_foreach((json_t *)metrics, name, value)
    {
        require(*name && strlen(name) <= STREAM_NAME_LONGEST);
        require(json_to_real(value, &number));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct stream_line line;
    struct err err = {""};
    if (stream_line_read((const char *)data, size, &line, &err)) {
        require(*err.text && !line.json);
        return 0;
    }
    check_metrics(line.metrics);
    require(line.step >= -1 && line.rank >= -1);
    require(!line.phase || (phase_is_name(line.phase) && isfinite(line.seconds) && line.seconds >= 0 && line.count));
    require(!line.begun || phase_is_name(line.begun));
    require(!line.over || phase_is_name(line.over));
    require(line.ended >= -1 && line.attempt >= -1 && line.status >= 0 && line.status <= 255);
    require(line.ended >= 0 || !line.detail);
    stream_line_fini(&line);
    return 0;
}
