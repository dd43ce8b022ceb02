/* What a screen wants to be read. Plain data: two that are equal byte by byte want the same. */
#ifndef GANNET_CLI_FETCH_WANTS_H
#define GANNET_CLI_FETCH_WANTS_H

#include <stdbool.h>
#include <stdint.h>

enum section {
#define SECTION(id, name, seconds, shape) SECTION_##id,
#include "cli/fetch/section_list.h"
#undef SECTION
    SECTIONS_COUNT
};

enum { WANTS_TEXT = 256 };

struct wants {
    uint32_t sections; /* 1u << SECTION_...: which ones */
    struct {
        char order[WANTS_TEXT];  /* a column as `gannet trials --sort` takes it; "": by number */
        char filter[WANTS_TEXT]; /* an expression (docs/status.md); "": all */
        bool reverse;
        uint64_t first; /* how many trials, in that order, are passed over */
        uint32_t count; /* how many are wanted */
    } trials;
    uint64_t trial; /* the one whose page is open; 0: none */
    struct {
        uint64_t first; /* how many rows are passed over: workers, and what the unfolded ones have below them */
        uint32_t count;
        char unfolded[WANTS_TEXT]; /* of few workers the folded ones, of many the unfolded ones: numbers */
    } workers;
    struct {
        double from, to;  /* seconds since 1970; both 0: all; `from` below 0: the last so many seconds, up to now */
        uint64_t first;   /* how many slots are passed over */
        uint32_t count;   /* slots */
        uint32_t columns; /* into how many parts the time is cut */
    } timeline;
    char parameter[WANTS_TEXT]; /* the one that is drawn against the metric; "": the most important */
    char metric[WANTS_TEXT];    /* of what is drawn; "": the objective */
    uint32_t events;            /* how many of the newest lines of the log */
};

#endif
