/* The style and the script of the report, which are files beside this one. */
#ifndef GANNET_CLI_REPORT_ASSET_H
#define GANNET_CLI_REPORT_ASSET_H

/* Texts that end in a zero. */
extern const char asset_style[], asset_script[];

#endif
