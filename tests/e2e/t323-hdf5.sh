#!/bin/bash
# an experiment whose data is an HDF5 file: it trains, also while another program reads the file; the file that is being written, the
# damaged one and the build without libhdf5 fail with the reason
. "$(dirname "$0")/lib.sh"
scratch
[ -f "$GANNET_BUILD/hdf5.so" ] || skip_all "gannet was built without libhdf5: apt-get install libhdf5-dev"
claim "a file of three classes is made" "$GANNET_BUILD/tests/kernels/t_hdf5_damage" train.h5

cat >hdf5.yaml <<YAML
version: 1
trial:
  kernel: logreg
  options: {data: train.h5, array: train/inputs, label: train/classes, epochs: 5}
parameters:
  lr: {min: 0.01, max: 0.3, log: true}
metric: {name: val_accuracy, goal: maximize}
limits: {max_trials: 4}
YAML
claim "gannet check takes the file" gannet check hdf5.yaml
exec 9<train.h5
claim "another program writes it, as its lock says" flock --exclusive --nonblock 9
refuse "then nobody learns from it" 2 'train.h5: another process has it open for writing' \
    gannet-trainer --run logreg --options '{"data": "train.h5", "array": "train/inputs", "label": "train/classes"}'
claim "another program reads it" flock --shared --nonblock 9
claim "and a search learns from it" gannet run hdf5.yaml --dir locked
exec 9<&-
is "all its trials completed" 4 "$(gannet trials locked --csv --columns state | grep -c completed)"
claim "they have learned" awk -v best="$(gannet best locked --json | sed -n 's/.*"val_accuracy": *\([0-9.]*\).*/\1/p' | head -n 1)" \
    'BEGIN { exit !(best > 0.8) }'

# Whoever trains networks is not linked to libhdf5 and what that brings.
is "no program is linked to libhdf5" "" "$(for program in "$GANNET_BUILD"/bin/*; do ldd "$program"; done | grep -i -e hdf5 -e libcurl)"

options='{"data": "train.h5", "array": "train/inputs", "label": "train/classes"}'
refuse "without the module it says what to install" 2 'libhdf5-dev .*build gannet again' \
    env GANNET_HDF5_MODULE=/nowhere/hdf5.so gannet-trainer --run logreg --options "$options"
head -c 1000 train.h5 >cut.h5
refuse "a file that was cut off is said to be that" 2 'cut.h5: is no HDF5 file, or is not whole .*truncated' \
    gannet-trainer --run logreg --options "${options/train.h5/cut.h5}"
refuse "no search begins with it" 2 'cut.h5: is no HDF5 file, or is not whole' gannet run hdf5.yaml --dir cut --set trial.options.data=cut.h5
refuse "what is not there is listed with what is" 2 "has no data set .x.; it has: train/classes .300, uint8., train/inputs .300 x 8, float32" \
    gannet-trainer --run logreg --options '{"data": "train.h5", "array": "x"}'
finish
