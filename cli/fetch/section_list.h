/* The sections of an experiment that the screen shows: what is read of it, how often, and what shape it has.
 *
 *     SECTION(ID, name, seconds, "shape")
 *
 * `seconds` lie at least between two readings while a screen wants the section; a change of what is wanted reads it at
 * once. The function section_NAME in a file of its name reads it (sections.h). Shapes are JSON; what can grow with the
 * experiment is read in pages, or as what has changed. */

SECTION(OVERVIEW, overview, 1,
        "{status: gannet.status/1 without workers (docs/json.md), state: one word, explanation: sentences or \"\", "
        "jobs: [sentences]}")
