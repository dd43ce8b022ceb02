/* Which processors multiply BF16; see narrow.h. */
#include "worker/backend/narrow.h"

#include "common/processor.h"

int narrow_check(const char *cpuinfo, struct err *err)
{
    if (processor_has(cpuinfo, "avx512_bf16") || processor_has(cpuinfo, "amx_bf16"))
        return 0;
    return err_set(err,
                   "precision bf16 needs a processor with AVX512-BF16 or AMX, and this one has neither: %s lists "
                   "no flag avx512_bf16 or amx_bf16; " NARROW_ADVICE,
                   cpuinfo);
}
