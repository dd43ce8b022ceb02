/* JSON values that jansson has no words for; see json.h. */
#include "common/json.h"
#include "common/buf.h"
#include "common/mem.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* jansson returns NULL when it is out of memory. */
static json_t *require_json(json_t *json)
{
    if (!json)
        mem_resize(NULL, (size_t)-1, 1); /* ends the process with the sentence for it */
    return json;
}

void json_require_memory(void)
{
    json_set_alloc_funcs(mem_raw, free);
}

json_t *json_of_real(double number)
{
    char text[32];
    return require_json(isfinite(number) ? json_real(number) : json_string(units_show_real(number, text, sizeof text)));
}

json_t *json_of_known(double number)
{
    return isnan(number) ? json_null() : json_of_real(number);
}

bool json_to_real(const json_t *json, double *number)
{
    static const struct {
        const char *text;
        double number;
    } words[] = {{"nan", NAN}, {"inf", INFINITY}, {"-inf", -INFINITY}};
    if (json_is_number(json)) {
        *number = json_number_value(json);
        return true;
    }
    for (size_t i = 0; json_is_string(json) && i < sizeof words / sizeof *words; i++)
        if (strcmp(json_string_value(json), words[i].text) == 0) {
            *number = words[i].number;
            return true;
        }
    return false;
}

bool json_to_finite(const json_t *json, double *number)
{
    double found = json_number_value(json);
    if (json_is_number(json) && isfinite(found))
        *number = found;
    return json_is_number(json) && isfinite(found);
}

json_t *json_of_u64(uint64_t number)
{
    char text[24];
    if (number <= INT64_MAX)
        return require_json(json_integer((json_int_t)number));
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    return require_json(json_string(text));
}

json_t *json_of_time(double seconds)
{
    char text[40];
    bool is_time = *units_show_time(seconds, text, sizeof text) != '?';
    return is_time ? require_json(json_string(text)) : json_null();
}

/* Bytes of the UTF-8 character at `text`; 0: it is none. Overlong forms, surrogates and what is beyond U+10FFFF are
 * none (RFC 3629, section 4). */
static size_t utf8_length(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t length = at[0] < 0x80 ? 1 : at[0] >> 5 == 6 ? 2 : at[0] >> 4 == 14 ? 3 : at[0] >> 3 == 30 ? 4 : 0;
    for (size_t i = 1; i < length; i++)
        if (at[i] >> 6 != 2)
            return 0; /* also where the text ends early: its closing zero is no continuation */
    if ((length == 2 && at[0] < 0xc2) || (length == 3 && at[0] == 0xe0 && at[1] < 0xa0) ||
        (length == 3 && at[0] == 0xed && at[1] > 0x9f) || (length == 4 && at[0] == 0xf0 && at[1] < 0x90) ||
        (length == 4 && (at[0] > 0xf4 || (at[0] == 0xf4 && at[1] > 0x8f))))
        return 0;
    return length;
}

json_t *json_of_text(const char *text)
{
    if (!text)
        return json_null();
    json_t *json = json_string(text);
    if (json)
        return json;
    struct buf repaired = {0};
    while (*text) {
        size_t length = utf8_length(text);
        buf_add(&repaired, length ? text : "\xef\xbf\xbd", length ? length : 3);
        text += length ? length : 1;
    }
    json = require_json(json_string(buf_str(&repaired)));
    buf_fini(&repaired);
    return json;
}
