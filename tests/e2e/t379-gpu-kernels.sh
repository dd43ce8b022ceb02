#!/bin/bash
# what a program's kernels and copies on GPUs took is told by CUPTI, here one that is made up; where it can't be, why
. "$(dirname "$0")/lib.sh"
scratch
needs sqlite3
needs cc
umask 022 # a file that others may write to is not read
unset CUDA_VISIBLE_DEVICES CUDA_INJECTION64_PATH CUDA_HOME CUDA_PATH FAKE_CUPTI_REFUSES RANK OMPI_COMM_WORLD_RANK # of whoever runs this
build() { cc -std=c17 -D_GNU_SOURCE -I"$SOURCE" "$@"; }
claim "a CUPTI is made up" build -shared -fPIC -o libcupti.so.13 "$SOURCE/tests/cupti/fake_cupti.c" -lpthread
claim "and a program that loads what the driver would" build -o program "$SOURCE/tests/cupti/program.c" -ldl
printf '0 numa:0 Imagined\n' >gpus.txt

# search NAME WORDS [LINE [PROGRAM]]: a trial of the program, which plays these words.
search() {
    cat >"$1.yaml" <<YAML
version: 1
name: $1
trial: {command: "${4-./program} $2 \${args}"}
metric: {name: loss, goal: minimize}
parameters: {x: {min: 0.0, max: 1.0}}
strategy: random
resources: {gpus: 1, bind: none}
limits: {max_trials: 1}
${3-profile: {operations: true\}}
YAML
    LD_LIBRARY_PATH="$PWD" gannet run "$1.yaml" --dir "$1" --quiet --topology "$machine"
}
machine=$SOURCE/tests/worker/topologies/one-socket.xml,gpus=gpus.txt
ask() { sqlite3 -readonly "$1/gannet.db" "$2"; }
rows() { ask "$1" "SELECT operation, place, calls, flops, bytes, timed, seconds, min, max FROM v_operations WHERE why IS NULL"; }
why() { ask "$1" "SELECT operation, calls, timed, why FROM v_operations WHERE why IS NOT NULL"; }
played() { cat "$1"/trials/*1/stdout; }

claim "a program that uses a GPU is searched" search plain "plain late fork"
matches "the driver loads our library into it" '^loaded$' "$(played plain)"
is "its kernels have their short names, and copies their bytes, the longest first" "ampere_sgemm_128x64_nn|gpu|2|||2|0.004|0.001|0.003
vectorized_elementwise_kernel|gpu|1|||1|0.0005|0.0005|0.0005
copy to GPU|gpu|1||3000000.0|1|0.0004|0.0004|0.0004
copy from GPU|gpu|1||8.0|1|1.0e-06|1.0e-06|1.0e-06
late|gpu|1|||1|1.0e-06|1.0e-06|1.0e-06
memset|gpu|1||4096.0|1|2.0e-07|2.0e-07|2.0e-07" "$(rows plain)"
is "nothing of it is unknown" "" "$(why plain)"
matches "the table of operations has them" '^ *81\.6 % +4ms +2 +2ms +1ms +3ms +- +- +gpu +ampere_sgemm_128x64_nn$' "$(gannet profile plain/1)"
matches "and the rate of copies" '^ .* 400us +1 .* 7\.50 +gpu +copy to GPU$' "$(gannet profile plain/1 --operations)"
matches "programs read them" '"operation": "ampere_sgemm_128x64_nn", "calls": 2, "flops": null, "bytes": null, .*"place": "gpu"' "$(gannet profile plain/1 --json)"
matches "so they do of all trials" '"operation": "copy to GPU", "calls": 1, "flops": null, "bytes": 3000000' "$(gannet profile plain --json)"
claim "a trace is written" gannet profile plain/1 --trace trace.json
claim "it has them" grep -q '"operation": *"ampere_sgemm_128x64_nn"' trace.json
is "the files that told it are gone" "" "$(find plain -name '*gannet-gpu*')"

claim "some can be chosen by their names" search chosen plain 'profile: {operations: ["*gemm*", memset]}'
is "and the others are left out" "ampere_sgemm_128x64_nn memset" "$(ask chosen "SELECT group_concat(operation, ' ') FROM v_operations")"

claim "a program with very many kernels is searched" search many many
is "the sixteen longest stay, with the sum of all others" "17 kernel_0 400 1" "$(ask many "SELECT count(*), min(operation), sum(calls),
    max(operation = 'other kernels' AND calls = 384) FROM v_operations" | tr '|' ' ')"
claim "which is short" [ "$(ask many "SELECT max(length(operations)) < 2048 FROM runs")" = 1 ]

claim "threads that call at once are counted" search threads threads
is "all of them" "threaded|4000" "$(ask threads "SELECT operation, calls FROM v_operations")"

claim "damaged records harm nobody" search damaged damaged
matches "the program ends well" '^damaged: played$' "$(played damaged)"
is "what is whole counts, and no name does anything" "good|1
_ZN99999999999999999999kernelEv|1
xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..xxxxxxxxxxxxxxxxxxxxxx|1
evil?,1],[??[31m??u0000|1
unnamed kernel|1" "$(ask damaged "SELECT operation, calls FROM v_operations WHERE why IS NULL ORDER BY seconds DESC")"
is "and what was lost is said" "gpu|||5 records were lost: this is the sum of the others" "$(why damaged)"
matches "to people, too" '^  Of its work on GPUs not all is known: 5 records were lost' "$(gannet profile damaged/1)"

claim "records that CUPTI drops are known" search dropped dropped
is "to be missing" "gpu|||3 records were lost: this is the sum of the others" "$(why dropped)"

refused() { FAKE_CUPTI_REFUSES=$1 search "$2" plain; }
claim "a driver may refuse" refused 35 refused
is "the trial is what it would have been" 1 "$(gannet trials refused --csv --columns state | grep -c completed)"
is "nothing is known, and why" "gpu|||the driver lets administrators alone profile (NVreg_RestrictProfilingToAdminUsers=0 allows it to all)" "$(why refused)"
is "which is no 0" "" "$(rows refused)"
matches "people read it" '^  Of its work on GPUs not known: the driver lets administrators alone profile' "$(gannet profile refused/1)"
matches "and programs" '"gpu_unknown": "the driver lets' "$(gannet profile refused/1 --json)"
claim "an error that nobody knows is told as CUPTI does" refused 77 odd
is "without its signs" 'gpu|||CUPTI says CUPTI_ERROR_?OF_A_TEST?? (77)' "$(why odd)"

killed() { search killed "plain kill" || true; }
claim "a program may be killed" killed
is "what it had told by then is known" 2 "$(ask killed "SELECT max(calls) FROM v_operations WHERE operation = 'ampere_sgemm_128x64_nn'")"

printf '#!/bin/sh\necho loss=1\n' >idle && chmod +x idle
timed='profile: {operations: true}'
claim "a program that starts no CUDA is searched" search none "" "$timed" ./idle
is "and nothing is known" "gpu|||no process of the program started CUDA with gannet's library" "$(why none)"
claim "a program of which nothing is asked is searched" search unasked plain ""
matches "and has nothing to load" '^nothing to load$' "$(played unasked)"
is "nor a row" "" "$(ask unasked "SELECT * FROM v_operations")"

own() { CUDA_INJECTION64_PATH=/nowhere/tool.so search own plain; }
claim "another tool's library stays" own
is "and is the reason" "gpu|||CUDA_INJECTION64_PATH is set: another tool has the records" "$(why own)"
printf '#!/bin/sh\nexec "$@"\n' >nsys && chmod +x nsys
claim "a command may start a profiler" search tool plain "$timed" "./nsys ./program"
is "which is the reason then" "gpu|||the command starts a profiler of NVIDIA's, which has the records" "$(why tool)"
matches "nothing is loaded into it" '^nothing to load$' "$(played tool)"

# What a program itself writes in the place of our library may be anything.
cat >liar.sh <<'SH'
#!/bin/sh
at=$GANNET_GPU_FILE
echo '{"gannet_gpu":1,"unknown":"","operations":[["ok",1,0,5,5,5],["\u001b[31m",1,0,5,5,5],["neg",-1,0,5,5,5],["much",1e99,0,5,5,5],["turned",1,0,1,9,9],[7],["x"],{"a":1},null]}' >$at.1
echo '{"gannet_gpu":1,"unknown":"\u001b[31mred","operations":"none"}' >$at.2
echo '[[[[' >$at.3
head -c 3000000 /dev/zero >$at.4
mkfifo $at.5
ln -s /etc/passwd $at.6
mkdir $at.7
echo loss=1
SH
chmod +x liar.sh
claim "a program that lies is searched" search liar "" "$timed" ./liar.sh
is "what makes sense of it counts" "ok|1" "$(ask liar "SELECT operation, calls FROM v_operations WHERE why IS NULL")"
is "and that the rest does not is said" "gpu|||what was written of it is damaged" "$(why liar)"

sed -e '/^resources/d' plain.yaml >bad.yaml
refuse "without a GPU it is refused" 2 "write resources: {gpus: 1} if it has kernels on a GPU" gannet check bad.yaml
sed -e 's/operations: true/operations: true, steps: 2-3/' plain.yaml >bad.yaml
refuse "steps of a program are not known" 2 "leave profile.steps out" gannet check bad.yaml

# The declarations of ours beside NVIDIA's, and NVIDIA's own library without a driver, where they are.
tried=0
for directory in /usr/local/cuda*/include /usr/local/cuda*/extras/CUPTI/include $GANNET_CUPTI_INCLUDE; do
    [ -f "$directory/cupti.h" ] || continue
    tried=1
    toolkit=${directory%/extras/CUPTI/include}
    claim "what we declare is what $directory does" build -Werror -Wno-unused -fsyntax-only -I"$directory" -I"${toolkit%/include}/include" \
        "$SOURCE/tests/cupti/headers.c"
done
[ "$tried" = 1 ] || skip "what we declare is what NVIDIA's headers do" "cupti.h is not here (below /usr/local/cuda*, or where GANNET_CUPTI_INCLUDE says)"
finish
