/* The prose of docs/experiment.md between the tables that are made from the table of keys. Every example in it that is
 * marked as YAML is read by a test. */
#ifndef GANNET_SCHEDULER_SPEC_DOCUMENT_H
#define GANNET_SCHEDULER_SPEC_DOCUMENT_H

extern const char document_intro[], document_parameters[], document_trial[], document_metric[], document_rest[],
    document_slurm[], document_yaml[], document_errors[], document_foreign[];

#endif
