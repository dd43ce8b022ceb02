/* The report: one file of HTML with pictures, tables and sentences, which makes no request to anywhere. It is readable
 * without scripts, which only add sorting, brushing and toggles; its content security policy names the hashes of its
 * one script and style, so that nothing else in it can run. Whatever experiments, programs and nodes wrote is text in
 * it. Of very many trials it has the best ones: its size has a bound. */
#ifndef GANNET_CLI_REPORT_REPORT_H
#define GANNET_CLI_REPORT_REPORT_H

#include "cli/plot/plot.h"
#include "common/buf.h"

enum { REPORT_TRIALS = 12000 }; /* in the table, at most: some 100 bytes each */

/* What a page begins with, by which it is known as ours. */
#define REPORT_BEGIN                                                                                                   \
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"generator\" "                 \
    "content=\"gannet "

struct report {
    const struct plot_subject *subjects;
    size_t count;          /* 1: everything about it; more: their comparison */
    const char *command;   /* what trains the best configuration again; NULL: there is none, or it is left out */
    const char *directory; /* of the run */
    bool no_commands;      /* without the experiment file */
    bool no_env;           /* without names of directories and nodes: the subjects have other ones already */
};

/* What pictures of it need (enum plot_need). */
unsigned report_needs(size_t count);

/* Adds the page. */
void report_write(const struct report *report, struct buf *out);

/* The style and the script, which are files beside this one: texts that end in a zero. */
extern const char asset_style[], asset_script[];

/* Adds what a content security policy names of a script or style: 'sha256-...' of the text between the tags. */
void policy_hash(const char *text, struct buf *out);

#endif
