#include "scheduler/spec/spec.h"
void spec_document(struct buf *out)
{
    (void)out;
}
