/* In which characters a person reads and writes. */
#ifndef GANNET_CLI_LOCALE_H
#define GANNET_CLI_LOCALE_H

/* Chooses the locale of characters (LC_CTYPE) that the environment names. One that this machine lacks, as ssh brings
 * it along from another, is replaced by C.UTF-8 when it is of UTF-8: the terminal shows that, whatever is installed
 * here. */
void locale_choose(void);

#endif
