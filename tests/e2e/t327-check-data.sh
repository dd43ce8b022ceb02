#!/bin/bash
# damaged data is found before any trial starts, with the byte or line; good data is described, and read once
. "$(dirname "$0")/lib.sh"
scratch
chmod 700 "$TMPDIR"
needs python3

python3 - <<'PYTHON'
import gzip, random, struct
random.seed(3)
def idx(name, sizes, values):
    open(name, "wb").write(struct.pack(">BBBB", 0, 0, 8, len(sizes)) + struct.pack(">%dI" % len(sizes), *sizes) + bytes(values))
def npy(name, descr, shape, raw):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %r, }" % (descr, shape)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    open(name, "wb").write(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + raw)
N = 200
pixels = [random.randrange(256) for _ in range(N * 64)]
labels = [n % 10 for n in range(N)]
idx("images", (N, 8, 8), pixels)
idx("labels", (N,), labels)
idx("fewer", (N - 1,), labels[:-1])
open("cut", "wb").write(open("images", "rb").read()[:9000])
packed = gzip.compress(open("images", "rb").read())
open("images.gz", "wb").write(packed)
open("cut.gz", "wb").write(packed[:len(packed) // 2])
x = [random.random() for _ in range(N * 4)]
npy("x.npy", "<f4", (N, 4), struct.pack("<%df" % len(x), *x))
npy("y.npy", "<i8", (N,), struct.pack("<%dq" % N, *labels))
npy("many.npy", "<i8", (N,), struct.pack("<%dq" % N, *(labels[:-1] + [4711])))
x[401] = float("nan")
npy("nan.npy", "<f4", (N, 4), struct.pack("<%df" % len(x), *x))
rows = [[labels[n]] + pixels[64 * n:64 * n + 64] * 48 for n in range(20)]
raw = b"".join(bytes(row) for row in rows)
open("batch.bin", "wb").write(raw)
open("cut.bin", "wb").write(raw[:-100])
with open("table.csv", "w") as f:
    f.write("a,b,class\n")
    for n in range(N):
        f.write("%g,%g,%d\n" % (random.random(), random.random(), n % 2))
lines = open("table.csv").read().split("\n")
open("cut.csv", "w").write("\n".join(lines[:77]) + "\n0.5,0.")
open("few.csv", "w").write("\n".join(lines[:2] + lines[2:3]) + "\n")
open("text", "wb").write(b"a text that is long enough, " * 300)
open("short", "wb").write(b"too short")
PYTHON

# experiment OPTIONS [KERNEL] [METRIC]
experiment() {
    cat >e.yaml <<YAML
version: 1
seed: 1
trial: {kernel: ${2:-mlp}, options: {$1}}
metric: {name: ${3:-val_loss}, goal: minimize}
parameters: {lr: {min: 0.01, max: 0.2, log: true}}
strategy: random
resources: {bind: none}
limits: {max_trials: 2}
YAML
}
# damaged WORDS PATTERN OPTIONS [KERNEL] [METRIC]
damaged() {
    experiment "${@:3}"
    refuse "$1 is found by check" 2 "^e.yaml:3:[0-9]+: error: .*$2" gannet check e.yaml
}

damaged "a cut off IDX file" '/cut: its header says that 200 x 8 x 8 values.* from byte 16 on; there are 8984' 'data: cut, labels: labels'
refuse "and by run, which starts nothing" 2 "nothing was started" gannet run e.yaml
damaged "a cut off compressed file" '/cut.gz: .*byte [0-9]+' 'data: cut.gz, labels: labels'
damaged "one label too few" '/fewer: holds 199 values of 1 byte, for 200 examples' 'data: images, labels: fewer'
damaged "NaN in an array" '/nan.npy: example 100 \(element \[100, 1\]\) is nan \(at byte [0-9]+\)' 'data: nan.npy, labels: y.npy'
damaged "a label out of range" '/many.npy: element 199 is 4711 \(at byte [0-9]+\)' 'data: x.npy, labels: many.npy'
damaged "a cut off CIFAR batch" '/cut.bin' 'data: cut.bin'
damaged "a cut off table" '/cut.csv:78: has 2 cells where the header has 3' 'data: cut.csv'
damaged "too few examples" '/few.csv: .*too few examples|/few.csv: has 2 examples' 'data: few.csv'
damaged "a text that is too short" '/short: its training part, bytes 0 to 7' 'data: short, learn: next' transformer
damaged "the wrong kind of metric" 'val_rmse' 'data: table.csv' gbt val_rmse
damaged "an option of a generator" 'generate' 'data: {generate: spirals, turns: many}'
damaged "sequences that say no steps" 'the data has 2 inputs and does not say of how many steps' 'data: table.csv' lstm
damaged "images that become too small" 'layer [0-9]+ \(pool_max\): its window .* does not fit' 'data: images, labels: labels' cnn
damaged "a width that heads don't divide" "can.t be divided among the 3 'heads'" 'data: text, learn: next, width: 10, heads: 3' transformer
experiment 'data: table.csv, threads: 3'
sed -i 's/bind: none/&, cpus: 2/' e.yaml
refuse "more threads than a trial has" 2 "'threads' can't be 3" gannet check e.yaml
experiment 'data: table.csv, threads: 2' gbt
refuse "of gbt, too, which learns of it when a trial begins" 2 "integer from 0 to 1 .resources.cpus" gannet check e.yaml
experiment 'data: images, labels: labels' cnn
sed -i 's/^parameters:.*/parameters: {layers: {values: [conv, conv-pool-conv-pool]}}/' e.yaml
claim "where the search decides it, nothing is refused" gannet check e.yaml
experiment 'data: images, labels: labels, padding: 1' cnn
claim "nor what fits" gannet check e.yaml
claim "no run directory is left of any" test ! -e runs

# described WORDS PATTERN OPTIONS [KERNEL]
described() {
    experiment "${@:3}"
    matches "$1 is described" "^# The data: $2\$" "$(gannet check e.yaml)"
}
described "a table" '200 examples of 2 inputs, 2 classes; 40 of them for validation' 'data: table.csv'
described "images" '200 examples of 8 x 8, 10 classes; 40 of them for validation' 'data: images.gz, labels: labels'
described "numbers to learn" '200 examples of 2 inputs, a number to learn; 40 of them for validation' 'data: table.csv, learn: numbers' gbt
described "a text" '[0-9]+ windows of [0-9]+ bytes; [0-9]+ of them for validation' 'data: text, learn: next' transformer
matches "for programs, too" '"data": "[0-9]+ windows' "$(gannet check e.yaml --json)"

# --- other nodes ---

experiment 'data: cut.csv'
echo 'slurm: {}' >>e.yaml
claim "data of trials on other nodes is only warned of" gannet check e.yaml
matches "with the line" 'warning: .*/cut.csv:78: ' "$(gannet check e.yaml 2>&1)"
rm cut.csv
is "once when it is not here" 1 "$(gannet check e.yaml 2>&1 | grep -c '^e.yaml.*warning: ')"

# --- read once ---

staged() { ls -A "$TMPDIR/gannet-data-$(id -u)" 2>/dev/null; }
experiment 'data: table.csv, stage: local, epochs: 2'
claim "a search runs" gannet run e.yaml --quiet
is "all of it completed" 2 "$(gannet trials e --csv --columns state | grep -c completed)"
is "and nothing is left of its data" "" "$(staged)"
claim "check packs nothing that stays" gannet check e.yaml
is "nothing is left" "" "$(staged)"

# held: holds the data as gannet does, until descriptor 5 is closed
options="{\"data\": \"$PWD/table.csv\", \"stage\": \"local\", \"epochs\": 1}"
mkfifo ask answer
gannet-trainer --check mlp --options "$options" <ask >answer &
reader=$!
exec 5>ask 6<answer
read -r line <&6
matches "a reader says what it has read" '"fine":true' "$line"
before=$(ls -i "$TMPDIR/gannet-data-$(id -u)")
claim "and holds it while it is asked to" test -n "$before"
exec 5>&-
wait "$reader"
is "until it is not any more" "" "$(staged)"

# --- a reader that fails ---

mkdir bin
for program in gannet gannet-worker gannet-reaper; do ln -s "$(command -v $program)" bin/; done
cp "$(command -v gannet)" bin/gannet.copy && mv bin/gannet.copy bin/gannet
cat >bin/gannet-trainer <<SH
#!/bin/sh
case \$1 in --check) kill -KILL \$\$ ;; esac
exec $(command -v gannet-trainer) "\$@"
SH
chmod +x bin/gannet-trainer
claim "a reader that is killed refuses nothing" bin/gannet check e.yaml
matches "and that is said" 'warning: the data could not be looked at before the start: .*signal 9 .*want of memory' "$(bin/gannet check e.yaml 2>&1)"

# --- who is interrupted ---

sed -i 's|kill -KILL .* ;;|echo \$\$ >reader; exec sleep 1000 ;;|' bin/gannet-trainer
setsid env --default-signal=INT bin/gannet run e.yaml --dir interrupted >/dev/null 2>&1 &
person=$!
claim "a reader is at work" until_true test -s reader
kill -INT -- "-$person" 2>/dev/null
ended() { ! process_lives "$person"; }
claim "Ctrl-C ends who waits for it" until_true ended
claim "with the reader" until_true process_dead "$(cat reader)"
claim "and nothing was begun" test ! -e interrupted
claim "nothing is left running" none_left
finish
