/* The screens, in the order of their keys: SCREEN(ID, name). Each is a file cli/screen/NAME.c with `struct screen_kind
 * screen_NAME` (screen.h). */
SCREEN(OVERVIEW, overview)
SCREEN(TRIALS, trials)
SCREEN(WORKERS, workers)
SCREEN(TIMELINE, timeline)
SCREEN(SEARCH, search)
SCREEN(LOG, log)
SCREEN(TRIAL, trial)
SCREEN(OUTPUT, output)
SCREEN(EXPERIMENTS, experiments)
