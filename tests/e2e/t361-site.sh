#!/bin/bash
# what holds for every submission: options over the file, over SBATCH_* variables, over the person's site file, over the cluster's
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch
unset "${!SBATCH_@}"
export HOME=$SCRATCH/home GANNET_SITE_FILE=$SCRATCH/cluster.yaml
unset XDG_CONFIG_HOME
mkdir -p "$HOME/.config/gannet"
own=$HOME/.config/gannet/site.yaml
umask 022
synth x.yaml 4

# asked OPTION...: the lines #SBATCH of a submission.
asked() {
    gannet submit x.yaml --dry-run "$@" 2>&1 | grep '^#SBATCH'
}
cat >cluster.yaml <<'EOF'
slurm:
  partition: gpu
  account: lab
  gres: gpu:2
  qos: normal
  setup: [module load cuda]
EOF
echo 'slurm: {account: ada, mem: 4G}' >"$own"
text=$(asked)
matches "the cluster's file holds where nothing else is said" '--partition=gpu' "$text"
matches "the person's own is over it" '--account=ada' "$text"
matches "a key's value is named with its place" 'slurm.partition is from .*cluster.yaml:2' "$(gannet submit x.yaml -n)"
matches "so does check" '#   slurm.account is from .*/.config/gannet/site.yaml:1' "$(gannet check x.yaml)"
matches "setup lines of the cluster run" '^module load cuda' "$(gannet submit x.yaml -n)"
export SBATCH_PARTITION=debug SBATCH_TIMELIMIT=1-00:00:00 SBATCH_WCKEY='a b' SBATCH_CONSTRAINT='[a*2&b],c' SBATCH_EXCLUSIVE= \
    SBATCH_MEM_PER_CPU=2G SBATCH_GPUS_PER_NODE=a100:1 SBATCH_NO_REQUEUE=1 SBATCH_OUTPUT=/nowhere
text=$(asked)
for line in --partition=debug --time=1440 "--wckey='a b'" '--constraint=\[a\*2&b\],c' '--exclusive$' --mem-per-cpu=2048M \
    --gpus-per-node=a100:1 --no-requeue; do
    matches "a variable is over site files: $line" "^#SBATCH $line" "$text"
done
is "what it replaces in another way is not asked for, nor is what gannet sees to" "" \
    "$(echo "$text" | grep -E -- '--mem=|--gres|nowhere')"
matches "the variable is named" 'slurm.partition is from SBATCH_PARTITION' "$(gannet check x.yaml)"
cp x.yaml keep.yaml
echo 'slurm: {partition: mine, gres: "gpu:4", sbatch_args: [--wckey=file]}' >>x.yaml
text=$(asked -- --time=30)
for line in --partition=mine --gres=gpu:4 --wckey=file --time=30; do
    matches "the file is over a variable, an option over both: $line" "^#SBATCH $line" "$text"
done
is "and nothing is asked for twice" "" "$(echo "$text" | sed 's/=.*//' | sort | uniq -d; echo "$text" | grep gpus-per-node)"
matches "--set is over all files" '--partition=set' "$(asked --set slurm.partition=set)"
claim "a file without slurm runs here as before" gannet run keep.yaml --dir r --quiet
is "and has nothing of them" "" "$(grep slurm r/experiment.yaml)"

export SBATCH_TIMELIMIT=soon
refuse "a variable with a wrong value is named" 2 "the variable SBATCH_TIMELIMIT: sbatch's --time: 'soon'" gannet check x.yaml
unset "${!SBATCH_@}"
printf 'slurm:\n  partiton: gpu\n' >"$own"
refuse "a mistake is shown at its place" 2 'site.yaml:2:3: error: unknown key' gannet submit x.yaml -n
printf 'slurm:\n  nodes: 4\n' >"$own"
refuse "what is about one search does not belong there" 2 "site.yaml:2:3: error: 'slurm.nodes' can't stand" gannet check x.yaml
printf 'limits: {max_trials: 3}\n' >"$own"
refuse "nor do other sections" 2 "site.yaml:1:1: error: a site file has the keys 'slurm', 'network' and 'notify'" gannet check x.yaml
printf '[1, 2' >"$own"
refuse "nor does what is no YAML" 2 'site.yaml:1:' gannet check x.yaml
for text in '' 'slurm:' '# nothing'; do
    echo "$text" >"$own"
    claim "a file that says nothing is fine: '$text'" gannet check x.yaml
done
echo 'slurm: {gres: "gpu:1", gpus_per_node: 2}' >"$own"
cp keep.yaml x.yaml
refuse "nor can it ask for the same in two ways" 2 "site.yaml:1:.*'slurm' has both 'gres' and 'gpus_per_node'" gannet check x.yaml
echo 'slurm: {account: ada}' >"$own"
mv "$own" "$HOME/dotfile" && ln -s "$HOME/dotfile" "$own"
matches "one's own may be a link" '--account=ada' "$(asked)"
chmod 666 "$HOME/dotfile"
refuse "one that others may write is not read" 2 'others may write to .*; close it with: chmod go-w' gannet submit x.yaml -n
chmod 644 "$HOME/dotfile"
chmod 664 cluster.yaml
refuse "nor is the cluster's" 2 'others may write' gannet submit x.yaml -n
chmod 644 cluster.yaml
if [ "$(id -u)" = 0 ]; then
    chown 65534 cluster.yaml
    refuse "nor is the cluster's of another person" 2 'cluster.yaml' gannet submit x.yaml -n
    chown 0 cluster.yaml
else
    skip "the cluster's of another person" "only root can give a file away"
fi
rm cluster.yaml
refuse "a file that is named must be there" 2 'which GANNET_SITE_FILE names' gannet submit x.yaml -n
unset HOME GANNET_SITE_FILE
claim "without a home nothing is missed" gannet check x.yaml
finish
