# GPUs of NVIDIA's driver that a file describes, which may change while a worker runs: tests/nvml/fake_nvml.c says how. To be
# sourced after lib.sh:
#
#     gpus <<END
#     gpu GPU-a name=Imagined memory=8589934592
#     END

# gpus: from now on the machine has those of standard input.
gpus() {
    export GANNET_FAKE_NVML=$SCRATCH/gpus.fake LD_LIBRARY_PATH=$GANNET_BUILD/tests/nvml
    unset CUDA_VISIBLE_DEVICES
    cat >"$GANNET_FAKE_NVML.new" && mv "$GANNET_FAKE_NVML.new" "$GANNET_FAKE_NVML"
}
