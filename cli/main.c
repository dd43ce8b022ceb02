/* gannet: what a person types and sees. Everything is in the commands (commands.h). */
#include "cli/command.h"

#include <locale.h>

int main(int argc, char **argv)
{
    /* Characters as the person's terminal has them; numbers stay those of C: files and programs read them. */
    setlocale(LC_CTYPE, "");
    struct console console;
    console_open(&console, argv[0], stdout, stderr);
    int status = command_dispatch(&console, argc, argv);
    int written = console_close(&console);
    return status ? status : written;
}
