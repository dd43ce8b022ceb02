/* Problems as a person sees them; see show_problems.h. */
#include "cli/session/show_problems.h"

void show_problems(struct console *console, struct problems *problems, const char *consequence)
{
    struct buf text = {0};
    problems_show(problems, &text);
    problems_summary(problems, consequence, &text);
    console_write(console->err, &text);
    buf_fini(&text);
}
