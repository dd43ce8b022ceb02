/* The modules for people's programs that are installed with gannet: clients/ in the source tree. */
#ifndef GANNET_COMMON_CLIENTS_H
#define GANNET_COMMON_CLIENTS_H

/* The directory of gannet.py: ../share/gannet/clients/python beside that of our programs, in an installation and in a
 * build; NULL: it is not there. free() it. */
char *clients_python(void);

/* "PYTHONPATH=...": that directory behind those of our own environment, so that nothing of the person's is hidden by
 * it. free() it. */
char *clients_python_path(const char *directory);

#endif
