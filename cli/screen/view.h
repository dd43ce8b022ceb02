/* What a person has chosen to see. Plain data. */
#ifndef GANNET_CLI_SCREEN_VIEW_H
#define GANNET_CLI_SCREEN_VIEW_H

#include "cli/fetch/wants.h"

enum screen {
#define SCREEN(id, name) SCREEN_##id,
#include "cli/screen/screen_list.h"
#undef SCREEN
    SCREENS_COUNT
};

/* What is typed at the bottom. */
enum prompt {
    PROMPT_NONE,
    PROMPT_SEARCH,  /* "/" */
    PROMPT_COMMAND, /* ":" */
    PROMPT_CHANGE,  /* y or N, behind a capital letter */
    PROMPT_OWN,     /* of the screen: view.question says what for */
    PROMPTS_COUNT
};

/* Where a person is on one screen. */
struct list_place {
    uint64_t chosen; /* the row, from 0 */
    uint64_t first;  /* the first row shown; draw moves it so that the chosen one is seen */
    uint32_t shown;  /* how many rows there was room for, at the last frame */
};

enum { PAST_LINES = 16 };

/* A line that was typed at the bottom before. */
struct past_line {
    char question[12]; /* the beginning of what it answered */
    char text[WANTS_TEXT];
};

struct view {
    enum screen screen, before; /* `before`: where Esc leads from a trial's page */
    struct list_place places[SCREENS_COUNT];
    char order[WANTS_TEXT], filter[WANTS_TEXT]; /* of trials, as wants.h has them */
    char columns[WANTS_TEXT]; /* those of trials as `gannet trials --columns` takes them; "": the usual ones */
    bool reverse;
    uint64_t trial; /* whose page is open; 0: none */
    char parameter[WANTS_TEXT], metric[WANTS_TEXT];
    unsigned tab;              /* the part of a screen that has several: of the search, of a trial's page */
    double from, to;           /* of the timeline, as wants.h has them */
    char unfolded[WANTS_TEXT]; /* of workers, likewise */
    bool holds;                /* the display stands still */
    bool read_only;            /* no key changes anything */
    bool helps;                /* the keys are shown instead of the screen */
    enum prompt prompt;
    uint32_t asked;            /* of PROMPT_CHANGE: the key, */
    uint64_t asked_trial;      /* and the trial that was chosen then */
    uint32_t help_first;       /* of the help the first line shown */
    char question[WANTS_TEXT]; /* what stands before what is typed: "filter: " */
    char typed[WANTS_TEXT];
    uint32_t caret;                    /* of what is typed: the byte before which a character is put in */
    struct past_line past[PAST_LINES]; /* what was typed before, the newest last */
    uint32_t past_count, recalled;     /* and how far back the one is that was brought back; 0: none was */
    char search[64];                   /* what "/" looks for on this screen */
    char note[400];                    /* a sentence about what was done last; "": none */
    bool follows;                      /* the log shows its end, whatever comes */
    bool several;                      /* there is a list of experiments to go back to */
    char experiment[4096];             /* the run directory that is to be opened instead; "": none */
};

#endif
