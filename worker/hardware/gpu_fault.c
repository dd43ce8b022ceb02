/* Faults of GPUs by their signs; see gpu_fault.h. */
#include "worker/hardware/gpu_fault.h"

#include <stdio.h>

static const struct gpu_fault_row {
    enum gpu_sign sign;
    unsigned number;
    enum gpu_blame blame;
    const char *words;
} rows[] = {
#define FAULT(sign, number, blame, words) {GPU_SIGN_##sign, number, GPU_BLAME_##blame, words},
#include "worker/hardware/gpu_fault_list.h"
#undef FAULT
};

/* Codes of calls that say nothing of one GPU. */
static const struct {
    int code;
    const char *words;
} codes[] = {
    {1, "it was not started"},
    {2, "it does not take what it was asked"},
    {3, "it is not supported"},
    {4, "this user may not ask"},
    {7, "there was too little room for its answer"},
    {8, "a GPU's power cable is not connected"},
    {9, "the driver is not loaded"},
    {10, "it took too long"},
    {11, "the kernel has a problem with a GPU's interrupts"},
    {12, "a library is missing"},
    {13, "it lacks this function"},
    {14, "a GPU's own settings are damaged (infoROM)"},
    {17, "the operating system does not let it"},
    {18, "the driver was updated, and the kernel still has the one before: the machine is to be started again"},
    {19, "a GPU is in use"},
    {20, "there is too little memory"},
    {999, "it does not say why"},
};

static const struct gpu_fault_row *find_row(struct gpu_fault fault)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].sign == fault.sign && (fault.sign == GPU_SIGN_ECC || rows[i].number == fault.number))
            return &rows[i];
    return NULL;
}

enum gpu_blame gpu_fault_blame(struct gpu_fault fault)
{
    const struct gpu_fault_row *row = find_row(fault);
    return row ? row->blame : GPU_BLAME_NOBODY;
}

const char *gpu_fault_words(struct gpu_fault fault, char *out, size_t size)
{
    static const char *const names[] = {"", "Xid", "NVML", "ECC"};
    const struct gpu_fault_row *row = find_row(fault);
    if (row && fault.sign == GPU_SIGN_ECC)
        snprintf(out, size, "%s (ECC, %u more)", row->words, fault.number);
    else if (row)
        snprintf(out, size, "%s (%s %u)", row->words, names[fault.sign], fault.number);
    else
        snprintf(out, size, "says %s %u", names[fault.sign], fault.number);
    return out;
}

const char *gpu_code_words(int code, char *out, size_t size)
{
    snprintf(out, size, "NVML %d", code);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].code == code)
            snprintf(out, size, "%s (NVML %d)", codes[i].words, code);
    return out;
}
