#!/bin/bash
# a command with trial.container runs inside the image, with its trial's directory, variables, cores and signals
#
# The runtime is a stand-in of Apptainer's command line: it notes its arguments, and where bubblewrap is there it runs the
# program in a mount namespace that has the image and the directories that it was told to bind, and nothing else.
. "$(dirname "$0")/lib.sh"
scratch
mkdir bin image
PATH=$PWD/bin:$PATH

cat >bin/apptainer <<'SH'
#!/bin/bash
# apptainer exec OPTIONS IMAGE PROGRAM ...: inside there are the variables of APPTAINERENV_ alone
echo "$@" >>"${0%/bin/*}/calls"
args=() shown=()
[ "$1" = exec ] || exit 99
shift
while :; do
    case $1 in
    --bind) args+=(--bind "$2" "$2") && shift 2 ;;
    --pwd) args+=(--chdir "$2") && shift 2 ;;
    -*) shift ;;
    *) break ;;
    esac
done
image=$1
shift
for directory in ${APPTAINER_BIND//,/ }; do args+=(--bind "$directory" "$directory"); done
echo "${APPTAINER_BIND:-nothing}" >>"${0%/bin/*}/bound"
[ -d "$image" ] || exit 98
while IFS= read -r -d '' variable; do
    case $variable in APPTAINERENV_*) shown+=("${variable#APPTAINERENV_}") ;; esac
done < <(env -0)
shown+=(PATH=/usr/bin:/bin IMAGE="$image")
system=(--ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 --proc /proc --dev /dev)
[ -e "${0%/bin/*}/plain" ] && exec env -i "${shown[@]}" "$@"
exec env -i "${shown[@]}" bwrap "${system[@]}" "${args[@]}" "$@"
SH
chmod +x bin/apptainer
if ! command -v bwrap >/dev/null || ! bwrap --ro-bind / / true 2>/dev/null; then
    touch plain
    could_not "programs are shut into a container of their own: bubblewrap is not here, or may not make namespaces"
fi
experiment() { # experiment NAME COMMAND [LIMITS [KEYS]]
    cat >"$1.yaml" <<YAML
version: 1
trial: {container: image, command: $2, retries: 0, grace: 1s, env: {MODE: quick, P: "\${params.x}"}$4}
metric: {name: loss, goal: minimize}
parameters: {x: [1, 2, 3, 4]}
strategy: grid
limits: {max_trials: 2$3}
resources: {cpus: 1}
YAML
}
cat >train.sh <<'SH'
[ -r "$GANNET_PARAMS_FILE" ] && echo "$IMAGE $GANNET_TRIAL" >"$GANNET_TRIAL_DIR/inside" && pwd >"$GANNET_TRIAL_DIR/pwd"
nproc >"$GANNET_TRIAL_DIR/cores"
echo "loss=$GANNET_PARAM_x"
SH
experiment first '[sh, ./train.sh, "a b"]' '' ', container_options: [--cleanenv, "--home=/x y"]'
claim "a search runs in an image" gannet run first.yaml
is "each trial ran there, and wrote to its directory" "$PWD/image 1 $PWD/image 2" "$(echo $(cat runs/first/trials/*/inside))"
is "in the directory of the experiment file" "$PWD" "$(cat runs/first/trials/000001/pwd)"
is "bound to its own core" 1 "$(cat runs/first/trials/000001/cores)"
is "the runtime was told this" "exec --bind $PWD/runs/first/trials --bind $PWD --pwd $PWD --cleanenv --home=/x y $PWD/image sh ./train.sh a b" \
    "$(head -1 calls)"
matches "and told to bind the directory of the trial's socket" '^/.*gannet-[^,]*' "$(head -1 bound)"
cat >stream.sh <<'SH'
[ -S "$GANNET_SOCKET" ] && echo loss=0.5 reachable=1
SH
experiment stream '[sh, ./stream.sh]'
claim "which the program can reach from inside" gannet run stream.yaml
is "in each trial" 2 "$(cat runs/stream/trials/*/stdout | grep -c reachable)"
claim "the line to train again has the container" sh -c "gannet show first/1 | grep -q 'apptainer exec --bind'"

# A signal that asks for a checkpoint reaches the program, and what it put in the background ends with it.
cat >hang.sh <<SH
trap 'echo got-it; exit 0' TERM
setsid sleep 98765.$$ &
echo loss=5
while :; do sleep 0.1; done
SH
experiment hang '[bash, ./hang.sh]' ', trial_time: 1s'
gannet run hang.yaml >out 2>err
is "a trial in a container that takes too long is ended" "timed_out timed_out" "$(echo $(gannet trials hang --columns reason | sed 1d))"
claim "its program heard the signal" grep -q got-it runs/hang/trials/000001/stdout
claim "nothing of it is left" none_left
is "nor of what it put in the background" "" "$(pgrep -f "^sleep 98765\.$$\$" | head -1)"

# What is missing is said before the first trial.
experiment missing '[true]'
sed -i 's/container: image/container: nowhere.sif/' missing.yaml
refuse "without the image nothing starts" 2 "the image of trial.container can't be read here: '$PWD/nowhere.sif'" gannet run missing.yaml
claim "check warns of it" sh -c "gannet check missing.yaml 2>&1 | grep -q \"warning: the image of trial.container can't be read\""
mv bin/apptainer bin/hidden
refuse "nor without a runtime" 2 "trial.container needs apptainer or singularity, and neither is in PATH" gannet run first.yaml --dir runs/none
sed 's/container: image/container_runtime: singularity, container: image/' hang.yaml >other.yaml
refuse "which may be named" 2 "trial.container_runtime is singularity, and there is no such program" gannet run other.yaml
claim "no trial was begun" sh -c '! ls -d runs/none runs/missing runs/other'
mv bin/hidden bin/apptainer

# What was there when the search began may be gone when it goes on.
gannet run first.yaml --dir runs/later >/dev/null 2>&1
mv image elsewhere
gannet run runs/later --resume --set limits.max_trials=4 >out 2>err
claim "a worker without the image ends with the sentence" grep -rq "the image of trial.container can't be read here" runs/later/logs err
is "and no trial failed of it" 0 "$(gannet trials runs/later --state failed --json | grep -c '"trial"')"
mv elsewhere image
mkdir "a,b" && cp first.yaml train.sh "a,b" && mkdir a,b/image
(cd "a,b" && gannet run first.yaml) >out 2>err
claim "a directory that the runtime would read in another way is said" grep -q "its name has a colon, comma" out
finish
