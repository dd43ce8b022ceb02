/* The painted line; see live.h. */
#include "cli/view/live.h"

void live_paint(struct live *live, const char *line)
{
    fprintf(live->stream, "\r%s\033[K", line);
    fflush(live->stream);
    live->painted = true;
}

void live_clear(struct live *live)
{
    if (live->painted)
        fputs("\r\033[K", live->stream);
    fflush(live->stream);
    live->painted = false;
}
