/* What a Python program is started through, so that argparse or click say at --help which options there are. */
#ifndef GANNET_CLI_START_PYTHON_HOOK_H
#define GANNET_CLI_START_PYTHON_HOOK_H

/* A Python program: its arguments are those of python3 itself, "train.py --help" or "-m train --help". It runs that
 * program as python3 would. When the program shows its help, one line follows that begins with the mark; the rest of
 * the line is JSON, the options as user_program.h has them. */
extern const char python_hook[];

#define PYTHON_HOOK_MARK "\x1egannet "

#endif
