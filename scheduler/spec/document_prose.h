/* What stands in docs/experiment.md between the tables of keys, which document.c makes. */
#ifndef GANNET_SCHEDULER_SPEC_DOCUMENT_PROSE_H
#define GANNET_SCHEDULER_SPEC_DOCUMENT_PROSE_H

extern const char document_intro_text[];
extern const char document_trial_text[];
extern const char document_notify_text[];
extern const char document_network_text[];
extern const char document_slurm_text[];
extern const char document_metric_text[];
extern const char document_parameters_text[];
extern const char document_rest_text[];
extern const char document_yaml_text[];
extern const char document_errors_text[];
extern const char document_reported_text[];
extern const char document_foreign_text[];

#endif
