/* What may be wrong with a GPU, and whose fault it is: the master copy. docs/worker.md repeats it.
 *
 *     FAULT(SIGN, number, blame, words)     the words follow "GPU 1 "
 *
 * A sign is XID, an event of NVIDIA's driver by the numbers of its manual ("XID Errors"); CODE, what a function of NVML
 * returned (nvml.h of CUDA, nvmlReturn_t); ECC, a count of errors of memory that has grown. The blame is
 *
 *     PROGRAM   what ran there did something wrong: the GPU is none the worse
 *     RUN       the hardware's fault, which ends with the run that it hit
 *     GPU       the hardware's fault: nothing more is begun there until it was reset
 */
FAULT(XID, 13, PROGRAM, "stopped a program's kernel for what that did (graphics engine exception)")
FAULT(XID, 31, PROGRAM, "stopped a program that touched memory which it does not have (page fault)")
FAULT(XID, 43, PROGRAM, "stopped a program's work after an error of its own")
FAULT(XID, 45, PROGRAM, "ended a program's work after an error before")
FAULT(XID, 48, GPU, "had an error of its memory that can't be corrected (double bit)")
FAULT(XID, 62, GPU, "has halted: its own controller stopped")
FAULT(XID, 63, RUN, "takes a bad part of its memory out of use, for good after its next reset")
FAULT(XID, 64, GPU, "could not take a bad part of its memory out of use")
FAULT(XID, 69, PROGRAM, "stopped a program's kernel for what that did (class error)")
FAULT(XID, 74, GPU, "had an error of its links to other GPUs (NVLink)")
FAULT(XID, 79, GPU, "has fallen off the bus")
FAULT(XID, 92, GPU, "had to correct errors of its memory too often")
FAULT(XID, 94, RUN, "had an error of its memory that can't be corrected, which hit one program alone (contained)")
FAULT(XID, 95, GPU, "had an error of its memory that can't be corrected, and may have hit all programs (uncontained)")
FAULT(XID, 119, GPU, "does not answer its driver any more (GSP timeout)")
FAULT(XID, 120, GPU, "had an error of its own system processor (GSP)")
FAULT(XID, 140, GPU, "had an error of its memory that was not recovered from")
FAULT(CODE, 6, GPU, "is not among those that the driver knows any more")
FAULT(CODE, 15, GPU, "has fallen off the bus")
FAULT(CODE, 16, GPU, "needs a reset")
FAULT(CODE, 28, GPU, "is not among those that the driver knows any more")
FAULT(ECC, 0, GPU, "had errors of its memory that can't be corrected")
