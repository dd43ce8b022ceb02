/* What holds for every submission where its experiment file says nothing: sbatch's variables, the person's site file
 * (~/.config/gannet/site.yaml, below $XDG_CONFIG_HOME if that is set) and the cluster's (/etc/gannet/site.yaml, or the
 * one that GANNET_SITE_FILE names), the strongest first. */
#ifndef GANNET_CLI_SESSION_SITE_H
#define GANNET_CLI_SESSION_SITE_H

#include "cli/console.h"
#include "scheduler/spec/spec_defaults.h"

/* Reads all of them. An exit status; else everything is said: a file that others could have written, or that is wrong,
 * ends the command. The caller calls spec_defaults_fini in any case. */
int site_read(struct console *console, struct spec_defaults *defaults);

/* The same of what is not about Slurm, for a coordinator on this machine: the section `network`, of the files alone. */
int site_read_network(struct console *console, struct spec_defaults *defaults);

/* Adds a line for each value of the spec that came from there: "slurm.partition is from /etc/gannet/site.yaml:3". */
void site_describe(const struct spec *spec, const char *before, struct buf *out);

#endif
