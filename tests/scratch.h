/* A directory of a test's own, with files in it. */
#ifndef GANNET_TESTS_SCRATCH_H
#define GANNET_TESTS_SCRATCH_H

/* Makes an empty private directory; its path. */
char *scratch_make(void);

/* Writes a file in it, with the directories above; its path, to be freed. */
char *scratch_file(const char *scratch, const char *name, const char *text);

/* Writes into a file that may be there, as the kernel's files change: whoever has it open reads the new text. */
void scratch_change(const char *scratch, const char *name, const char *text);

/* Removes it with everything in it and frees the path. */
void scratch_remove(char *scratch);

#endif
