#!/bin/bash
# of the GPUs that NVIDIA's driver knows, here one that is made up, trials are given theirs by UUID, whole ones, parts that the
# driver made of them (MIG) and shares; and nothing that the driver answers keeps a worker from its work
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/gpus.sh"
scratch
needs sqlite3
GIB=$((1 << 30))
cat >gpu.yaml <<'YAML'
version: 1
trial:
  command: |
    : ${args}
    echo "told: $CUDA_VISIBLE_DEVICES ${GANNET_GPU_SHARE-} ${GANNET_GPU_MEMORY-}"
    echo loss=1
metric: {name: loss, goal: minimize}
parameters: {x: {min: 0.0, max: 1.0}}
strategy: random
resources: {gpus: 1, bind: none}
limits: {max_trials: 2}
YAML
told() { sed -n 's/^told: //p' "$1"/trials/*/stdout | sort -u; }
show() { gannet-worker --show-slots "$@" 2>&1; }
cores=$(show | grep -c '^slot ')

gpus <<END
driver 580.65.06
gpu GPU-a name=Imagined_A memory=$((80 * GIB))
gpu GPU-b name=Imagined_B memory=$((16 * GIB)) mode=3
gpu GPU-c name=Imagined_C memory=$((80 * GIB)) mode=2
END
claim "a search runs on GPUs that a driver knows" gannet run gpu.yaml --gpus GPU-a --dir one
is "its trials are told theirs by UUID" "GPU-a  " "$(told one)"
is "of one whose memory has room for one no others share it" 1 "$(show --gpus 0.25 --gpu-memory 50G --only-gpus GPU-a | grep -c 'GPU 0$')"
if [ "$cores" -ge 2 ]; then
    claim "trials share it" gannet run gpu.yaml --gpus GPU-a --dir shared --set resources.gpus=0.5
    is "each is told its part, and the memory of that" "GPU-a 0.5 $((40 * GIB))" "$(told shared)"
else
    skip "trials share it" "this machine has one core"
fi

# --- who may compute there ---
said=$(show --gpus 0.5 --only-gpus GPU-b)
is "where one process alone may compute, one trial has all of it" 1 "$(grep -c 'GPU 1$' <<<"$said")"
matches "with a sentence" "GPU 1 is in the compute mode 'exclusive process': one trial at a time" "$said"
refuse "where none may, none has it" 1 "wants 1 GPU, but programs may compute on 0 of the 1 here: .*'prohibited'" \
    gannet-worker --show-slots --gpus 1 --only-gpus GPU-c
is "others are used" 1 "$(show --gpus 1 --only-gpus GPU-b,GPU-c | grep -c '^slot .*GPU 1$')"
claim "a search runs where one process alone may compute" gannet run gpu.yaml --gpus GPU-b --dir alone --set resources.gpus=0.5
is "its trials have all of it" "GPU-b  " "$(told alone)"
matches "its worker's log says why" "exclusive process" "$(cat alone/logs/worker*.log)"
said=$(gannet doctor)
matches "doctor names the GPUs and the driver" 'GPUs +Imagined A \(80 GiB\), Imagined B \(16 GiB\), .*; driver 580.65.06' "$said"
is "and both modes" 2 "$(grep -c '^note *GPU mode ' <<<"$said")"

# The Multi-Process Service is that one process.
mkdir with node
cat >with/nvidia-cuda-mps-control <<'SH'
#!/bin/sh
read -r question
[ "$question" = get_server_list ]
SH
chmod +x with/nvidia-cuda-mps-control
claim "through MPS trials share such a GPU all the same" env PATH="$PWD/with:$PATH" CUDA_MPS_PIPE_DIRECTORY="$PWD/node" \
    gannet run gpu.yaml --gpus GPU-b --dir mps --set resources.gpus=0.5 --set resources.cpus=1
is "as many as cores allow" "$((cores < 2 ? cores : 2))" \
    "$(sqlite3 mps/gannet.db 'SELECT count(*) FROM slots')"

# --- parts that the driver made ---
gpus <<END
gpu GPU-a name=Imagined_A memory=$((80 * GIB))
mig MIG-1 of=GPU-a name=Imagined_A_MIG_1g.10gb memory=$((10 * GIB))
mig MIG-2 of=GPU-a name=Imagined_A_MIG_1g.10gb memory=$((10 * GIB))
END
is "parts of a GPU are GPUs of their own" 2 "$(show --json | grep -c '"partition_of": 0')"
claim "a search runs on one of them" gannet run gpu.yaml --gpus MIG-2 --dir part
is "which it is told by its UUID" "MIG-2  " "$(told part)"
matches "doctor says what they are parts of" 'Imagined A MIG 1g.10gb \(10 GiB\) as a part of GPU 0 \(MIG\)' "$(gannet doctor)"

# --- what is broken ---
gpus <<END
gpu GPU-a name=Imagined_A error=15
gpu GPU-b name=Imagined_B memory=$((16 * GIB))
END
is "of a GPU that has fallen off the bus only the others are offered" 1 "$(show --gpus 1 | grep -c '^slot .*GPU 1$')"
matches "with a sentence" 'GPU 0 is not offered: it has fallen off the bus \(NVML 15\)' "$(show --gpus 1)"
matches "which doctor says, too" 'note +GPU +GPU 0 is not offered: it has fallen off the bus' "$(gannet doctor)"
gpus <<END
nvmlInit_v2 18
END
matches "of a library that does not start, doctor says why" 'does not start: the driver was updated, .* \(NVML 18\)' "$(gannet doctor)"

functions=$(sed -n 's/^int \(nvml[A-Za-z0-9_]*\)(.*;$/\1/p' "$SOURCE/tests/nvml/fake_nvml.c")
survive() {
    for function in $functions; do
        gpus <<END
$function $1
gpu GPU-a name=Imagined_A memory=$((80 * GIB))
mig MIG-1 of=GPU-a memory=$((10 * GIB))
gpu GPU-b name=Imagined_B memory=$((80 * GIB))
END
        gannet-worker --show-slots >survived 2>&1 && grep -q '^slot 0' survived || { diag "$function:" && diag <survived && return 1; }
    done
}
claim "whichever function fails, a worker begins" survive 999
claim "also with every other code" survive 15
gpus <<END
count 4294967295
gpu GPU-a name=Imagined_A memory=18446744073709551615
gpu GPU-a name=Imagined_A
END
is "absurd numbers are not believed, and a GPU that is listed twice is one" 1 "$(show --gpus 1 | grep -c '^slot ')"
gpus <<END
nvmlDeviceGetCount_v2 hang
END
matches "a driver that does not answer is waited for no longer than half a minute" 'has not answered for 30 s, so no GPU is offered' \
    "$(show)"
gpus <<END
gpu GPU-a name=Imagined_A use=4000000000 power=4294967295 watts=4000000000 used=18446744073709551615 memory=$((80 * GIB))
END
sed -i 's/echo loss=1/sleep 2; echo loss=1/' gpu.yaml
claim "a search runs where numbers are absurd" gannet run gpu.yaml --dir absurd --set limits.max_trials=1
is "which are not recorded" "" "$(sqlite3 absurd/gannet.db "SELECT counter, value FROM v_counters WHERE counter IN
    ('gpu_use', 'gpu_power', 'gpu_memory', 'energy_gpus')")"
gpus <<END
nvmlDeviceGetUtilizationRates hang
gpu GPU-a name=Imagined_A use=50 memory=$((80 * GIB))
END
claim "and where the driver does not answer while it runs" gannet run gpu.yaml --dir hangs --set limits.max_trials=1
is "nothing is known of it then" 0 "$(sqlite3 hangs/gannet.db "SELECT count(*) FROM v_counters WHERE counter LIKE 'gpu_%'")"
finish
