#!/bin/bash
# gannet init reads a program's --help, writes an experiment file that runs, and never replaces one unasked
. "$(dirname "$0")/lib.sh"
scratch

# --- without a program ---
claim "off a terminal it writes a template" gannet init
matches "and says that it is one" "It is a template with a built-in test function" "$(cat "$lib_output")"
claim "the template is a good file" gannet check example.yaml
claim "it runs" gannet run example.yaml --set limits.max_trials=4 --quiet
before=$(cat example.yaml)
refuse "a file that is there is not replaced" 2 "example.yaml is there already; --force replaces it" gannet init
is "it is as it was" "$before" "$(cat example.yaml)"
claim "unless that is asked for" gannet init --force
ln -s "$SCRATCH/elsewhere" link.yaml
refuse "a link is not followed, whatever is asked for" 2 "no plain file" gannet init --force --output link.yaml
claim "the file may be named" gannet init --output other.yaml
mkdir sub
claim "one that stands elsewhere has its paths start here" sh -c "gannet init -o sub/far.yaml && grep -qx 'base: $SCRATCH' sub/far.yaml"

# --- built-in kernels ---
for kernel in $(gannet kernels --json | python3 -c 'import json, sys; print(*[k["name"] for k in json.load(sys.stdin) if k["example"]["parameters"]])'); do
    claim "$kernel: an example is written" gannet init --kernel "$kernel"
    claim "$kernel: it is a good file" gannet check "$kernel.yaml"
    claim "$kernel: two trials of it run as it is" gannet run "$kernel.yaml" --set limits.max_trials=2 --quiet
    is "$kernel: it is what the kernel's page shows" "$(cat "$kernel.yaml")" "$(gannet kernels "$kernel" | sed -n '/^# Made by/,$p')"
done
claim "a wish goes before the example" gannet init --kernel mlp -o wish.yaml -p width=3..4 -p -depth
is "it is in the file, and what was left out is not" "{min: 3, max: 4} 0" \
    "$(sed -n 's/^  width: \({.*}\) .*/\1/p' wish.yaml) $(grep -c '^  depth' wish.yaml)"
refuse "a kernel that is not there" 2 "did you mean 'mlp'" gannet init --kernel mpl
refuse "a parameter that the kernel does not have is shown in its place" 2 "the kernel 'mlp' has no parameter 'wdith'" gannet init --kernel mlp -o w.yaml -p wdith=3..4
refuse "a metric that it does not report, too" 2 "does not report 'loss'" gannet init --kernel mlp -o w.yaml --metric loss
refuse "nothing left to search" 2 "nothing is left to search" gannet init --kernel synth -o w.yaml -p -x1 -p -x2
refuse "a kernel and a program" 2 "give one of them" gannet init --kernel mlp --from tune.sh
refuse "a kernel without an example" 2 "has no example" gannet init --kernel table
is "nothing was written" "" "$(ls w.yaml 2>/dev/null)"

# --- programs of any language ---
cat >tune.sh <<'SH'
#!/bin/sh
for word; do last=$word; done
if [ "$last" = --help ]; then
    printf '%s\n' 'usage: tune [--help] --data DIR [--rate R]' '' '  --rate R       how fast (default: 0.1)' \
        '  --data DIR     where' '  --fast         quickly' '  --depth N      [default: 2]' '  -k <INT>       (default: 3)'
    touch asked
    exit 0
fi
rate=0 fast=slow
for word; do case $word in --rate=*) rate=${word#*=} ;; --fast) fast=fast ;; esac; done
echo "$*" >>calls
echo "val_loss=$rate"
SH
chmod +x tune.sh
claim "a program's help is read" gannet init --from tune.sh --param rate=0.1..0.9
is "it was run once, for its help alone" "asked " "$(ls asked) $(cat calls 2>/dev/null)"
is "what looks like a hyperparameter is searched" "rate fast depth k" \
    "$(sed -n '/^parameters:/,/^$/s/^  \([a-z]*\):.*/\1/p' tune.yaml | xargs)"
is "a wish goes before the guess, and the first trial takes the default all the same" 1 "$(grep -c '^  rate: {min: 0.1, max: 0.9, default: 0.1}' tune.yaml)"
matches "what must be given is said" "^#   --data: the program needs it" "$(cat tune.yaml)"
matches "and stands in capitals" "data=DATA" "$(grep command: tune.yaml)"
claim "the file is a good one" gannet check tune.yaml
claim "it runs" gannet run tune.yaml --set limits.max_trials=6 --quiet
is "a switch is given in some trials and not in others" "yes yes" \
    "$(grep -q -- ' --fast' calls && echo yes) $(grep -qv -- ' --fast' calls && echo yes)"
matches "values come as the program takes them" '^--data=DATA --rate=0\.[0-9]*( --fast)? --depth=[0-9]+ -k [0-9]+$' "$(head -1 calls)"
matches "the best's arguments are such, too" '^--rate=0\.[0-9]*( --fast)? --depth=[0-9]+ -k [0-9]+$' "$(gannet best tune --as args)"
printf '%s\n' '#!/bin/sh' '# --help' 'echo "  --lr R       how fast (default: 0.1)"; echo "  --epochs N   how long (default: 12)"' >long.sh && chmod +x long.sh
claim "a program that says how long it trains" gannet init --from long.sh
is "has early stopping ready, for the person to switch on" "# early_stop: {name: asha, max_steps: 12}" "$(grep early_stop long.yaml)"
claim "switched on it is a good file" sh -c "sed -i 's/^# early_stop/early_stop/' long.yaml && gannet check long.yaml"
claim "words behind -- are a command" gannet init -o words.yaml -- ./tune.sh 'a b' --data=x
matches "they stay as they are" "tune.sh\", a b, \"--data=x\"" "$(grep command: words.yaml)"
claim "the file is a good one, too" gannet check words.yaml

refuse "a program that is not there" 2 "No such file" gannet init --from ./nothing.sh
refuse "a command for a shell is refused" 2 "means something to a shell" gannet init --from 'cat x | sh'
refuse "a wish that says nothing" 2 "--param: 'lr' says nothing" gannet init --from tune.sh --param lr -o w.yaml
refuse "two programs" 2 "named twice" gannet init --from tune.sh -- other
printf '#!/bin/sh\necho "no such option: $1" >&2; exit 3\n' >refuses.sh
printf '#!/bin/sh\necho "  --data DIR  where"\n' >bare.sh
printf '#!/bin/sh\nsleep 600 & echo started; wait\n' >sleeps.sh
printf '#!/bin/sh\nexec yes "  --rate R  (default: 0.1)"\n' >endless.sh
chmod +x refuses.sh bare.sh sleeps.sh endless.sh
refuse "a program that refuses is quoted" 2 "--help ended with status 3: no such option: --help" gannet init --from refuses.sh
refuse "one with nothing to search is said" 2 "no option that looks like a hyperparameter \(1 option in all\)" gannet init --from bare.sh
claim "unless the person says what to search" gannet init --from bare.sh --param width=8..64
refuse "one that does not end is ended" 2 "had not ended after 1 seconds" gannet init --from sleeps.sh --wait 1
refuse "one that writes without end, too" 2 "endless.sh --help wrote more than 1024 KiB and was ended" gannet init --from endless.sh
if command -v setsid >/dev/null; then
    cat >leaves.sh <<'SH'
#!/bin/sh
setsid sh -c 'echo $$ >background; exec sleep 60' &
while [ ! -s background ]; do sleep 0.05; done
echo "  --rate R  (default: 0.1)"
SH
    chmod +x leaves.sh
    claim "one that leaves a daemon behind, which has its output, is read" gannet init --from leaves.sh --wait 40 --param rate=0..1
    kill "$(cat background)"
fi
is "of these nothing is left but what was asked for" "bare.yaml" "$(ls | grep -E '^(refuses|bare|sleeps|endless)\.yaml$' | xargs)"
claim "and nothing runs" none_left

# --- on a terminal ---
if command -v script >/dev/null; then
    rm -f tune.yaml
    printf '%s\n' tune.sh 'oops' '-depth lr=1e-4..1e-1:log' 'my_score' 'my_score maximize' |
        TERM=dumb script -qec "gannet init" /dev/null >said 2>&1
    claim "three questions are asked" sh -c "grep -q '1. What trains' said && grep -q '2. Others' said && grep -q '3. Which metric' said"
    matches "an answer that says nothing is asked again" "'oops' says nothing" "$(cat said)"
    is "the answers are in the file" "1 0 1" \
        "$(grep -c '^  lr: {min: 0.0001, max: 0.1, log: true}' tune.yaml) $(grep -c '^  depth' tune.yaml) $(grep -c 'my_score, goal: maximize' tune.yaml)"
    claim "it is a good file" gannet check tune.yaml
    rm -f tune.yaml
    printf 'tune.sh\n\004' | TERM=dumb script -qec "gannet init; echo status \$?" /dev/null >said 2>&1
    matches "without answers nothing is written" "there was no answer; nothing was written" "$(cat said)"
    is "and that is no success" "1 no" "$(sed -n 's/^status \([0-9]*\).*/\1/p' said) $([ -e tune.yaml ] && echo yes || echo no)"
else
    skip "questions on a terminal" "script(1) is not there (Debian: bsdutils)"
fi

# --- Python ---
if ! command -v python3 >/dev/null; then
    skip "programs in Python" "python3 is not here (apt-get install python3)"
    finish
fi
cat >train.py <<'PY'
import argparse, json, sys
open("imported", "w").write("yes")
p = argparse.ArgumentParser()
p.add_argument("--learning-rate", "--lr", type=float, default=1e-3, help="100%% of it")
p.add_argument("-b", dest="batch", type=int, default=32)
p.add_argument("--units", type=int, default=64)
p.add_argument("--opt", choices=["sgd", "adam"], default="adam")
p.add_argument("--nesterov", action="store_true")
p.add_argument("--bias", action=argparse.BooleanOptionalAction, default=True)
p.add_argument("--epochs", type=int, default=3)
p.add_argument("--seed", type=int, default=1)
p.add_argument("--wrong", type=bool, default=False)
p.add_argument("--betas", type=float, nargs=2, default=(0.9, 0.999))
p.add_argument("--out", default="model.pt")
a = p.parse_args()
open("ran", "w").write("yes")
json.dump(vars(a), open("args.json", "w"))
print(f"epoch=1 val_acc={1 - (a.learning_rate - 0.01) ** 2}")
PY
claim "a Python program is asked itself" gannet init --from train.py
is "it ran no further than to its help" "imported no" "$(ls imported) $([ -e ran ] && echo yes || echo no)"
is "its options are known with types and defaults, though its help says none" \
    "learning-rate: {min: 1e-05, max: 0.1, log: true, default: 0.001}" "$(sed -n 's/^  \(learning-rate: {[^}]*}\).*/\1/p' train.yaml)"
is "a power of two has its neighbours" "units: {values: [16, 32, 64, 128, 256], ordered: true, default: 64}" "$(grep -o 'units: {.*' train.yaml)"
matches "the metric is the one that the source prints" "^metric: {name: val_acc, goal: maximize}" "$(cat train.yaml)"
for left in 'epochs \(3\): how long' 'seed \(1\): give' 'wrong: its type is bool|wrong \(false\): its type is bool' 'betas .*: takes several' 'out \(model.pt\): a place'; do
    matches "left with its reason: ${left%% *}" "^#   --($left)" "$(cat train.yaml)"
done
matches "what it writes by default is each trial's own" 'train.py, "--out=\$\{trial.dir\}/model.pt", ' "$(grep command: train.yaml)"
matches "which the file says" '^# In place of --out model.pt each trial writes one of its own' "$(cat train.yaml)"
claim "the file is a good one" gannet check train.yaml
claim "its first trial" gannet run train.yaml --set limits.max_trials=1 --quiet
is "is the program with its own defaults" '0.001 32 64 "adam" false true 3' \
    "$(python3 -c 'import json; a = json.load(open("args.json")); print(*(json.dumps(a[k]) for k in ("learning_rate", "batch", "units", "opt", "nesterov", "bias", "epochs")))')"
matches "and writes in its own directory" 'runs/train/trials/0*1/model.pt$' "$(python3 -c 'import json; print(json.load(open("args.json"))["out"])')"
claim "a place among the words is changed, too" gannet init -o placed.yaml -- python3 train.py --out=models/big.pt
matches "which is said" 'Each trial has a file of its own.*--out models/big.pt: \$\{trial.dir\}/big.pt' "$(tr '\n' ' ' <"$lib_output")"
matches "once" 'train.py, "--out=\$\{trial.dir\}/big.pt", "\$\{args\}"' "$(grep command: placed.yaml)"
claim "it goes on" gannet run train --resume --set limits.max_trials=8 --quiet
is "and every trial has a value" 8 "$(gannet trials train --json | grep -c '"state": "completed"')"
mkdir -p pkg && cp train.py pkg/fit.py && touch pkg/__init__.py
claim "a module is asked, too" gannet init -o module.yaml -- python3 -m pkg.fit
is "and known as well, with its metric" "1 1" "$(grep -c '^  learning-rate: {min: 1e-05' module.yaml) $(grep -c '^metric: {name: val_acc' module.yaml)"
claim "it runs" gannet run module.yaml --set limits.max_trials=1 --quiet
printf 'import sys\nraise SystemExit("no torch here")\n' >broken.py
refuse "one that breaks is quoted" 2 "broken.py --help ended with status 1: no torch here" gannet init --from broken.py
if python3 -c 'import click' 2>/dev/null; then
    cat >clicked.py <<'PY'
import click
@click.command()
@click.option("--lr", default=0.01, help="rate")
@click.option("--drop", type=click.FloatRange(0, 0.9), default=0.1)
@click.option("--opt", type=click.Choice(["sgd", "adam"]), default="sgd")
@click.option("--bias/--no-bias", default=True)
@click.option("--data", type=click.Path(), default=".")
def main(lr, drop, opt, bias, data):
    print(f"val_loss={lr + drop + bias}")
main()
PY
    claim "click says its options, too" gannet init --from clicked.py
    is "with types and bounds" "lr drop opt bias" "$(sed -n '/^parameters:/,/^$/s/^  \([a-z]*\):.*/\1/p' clicked.yaml | xargs)"
    claim "it runs" gannet run clicked.yaml --set limits.max_trials=4 --quiet
    is "every trial has a value" 4 "$(gannet trials clicked --json | grep -c '"state": "completed"')"
else
    skip "programs that use click" "click is not here (apt-get install python3-click)"
fi
if python3 -c 'import typer' 2>/dev/null; then
    cat >typed.py <<'PY'
import enum, typer
class Opt(str, enum.Enum):
    sgd = "sgd"
    adam = "adam"
def main(lr: float = 0.01, layers: int = 3, opt: Opt = Opt.sgd, bias: bool = True, p: float = typer.Option(0.5, min=0, max=0.8), out: str = "x"):
    print(f"val_loss={lr}")
typer.run(main)
PY
    claim "typer says its options, too" gannet init --from typed.py
    is "with types, choices and bounds" "lr layers opt bias p" "$(sed -n '/^parameters:/,/^$/s/^  \([a-z]*\):.*/\1/p' typed.yaml | xargs)"
    is "the bounds are kept" 1 "$(grep -c '^  p: {min: 0.0, max: 0.8, default: 0.5}' typed.yaml)"
    claim "it runs" gannet run typed.yaml -n 4 --quiet
    is "every trial has a value" 4 "$(gannet trials typed --json | grep -c '"state": "completed"')"
else
    skip "programs that use typer" "typer is not here (pip install typer)"
fi
# A program whose options can't be asked for is read by its help.
cat >changed.py <<'PY'
import argparse
p = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
p.add_argument("--lr", type=float, default=0.01, help="rate")
p._actions[1].__class__.option_strings = property(lambda self: 1 / 0)
print("usage: changed\n\n  --lr LR  rate (default: 0.01)\n")
try:
    p.print_help()
except Exception:
    pass
raise SystemExit(0)
PY
claim "a program that is not understood is read by its help" gannet init --from changed.py
is "as far as that goes" "  lr: {min: 0.0001, max: 1.0, log: true, default: 0.01}" "$(sed -n 's/ *#.*//;/^  lr/p' changed.yaml)"
refuse "a script that is not there is said" 2 "there is no file 'nowhere.py' here" gannet init --from nowhere.py
echo 'echo "--lr LR"' >plain.sh
refuse "so is a file that nobody can run" 2 "'plain.sh' can't be executed; name what runs it, gannet init -- sh plain.sh" gannet init --from plain.sh
echo 'import argparse; p = argparse.ArgumentParser(); s = p.add_subparsers(required=True); s.add_parser("train").add_argument("--lr", type=float, default=0.01); p.parse_args()' >parts.py
refuse "a program with subcommands wants one" 2 'parts.py --help names no option .*gannet init -- parts.py train' gannet init --from parts.py
claim "and has its options then" gannet init -- parts.py train
echo 'import argparse; p = argparse.ArgumentParser(); s = p.add_subparsers(required=True); q = s.add_parser("train"); q.add_argument("--lr", type=float, default=0.01); q.add_argument("--size", required=True); q.add_argument("data"); a = p.parse_args(); print("val_loss", a.lr)' >words.py
claim "what the command has already" gannet init --force -- python3 words.py train my.csv --size 3
is "is not wanted once more" '[python3, words.py, train, my.csv, "--size", "3", "${args}"]' "$(sed -n 's/^  command: //p' words.yaml)"
claim "so it runs" gannet run words.yaml -n 2 --quiet
claim "what it has not" gannet init --force -- python3 words.py train
is "is" '[python3, words.py, train, "--size=SIZE", DATA, "${args}"]' "$(sed -n 's/^  command: //p' words.yaml)"
printf 'import sys\nlr = dict(a.split("=") for a in sys.argv[1:])["lr"]\nprint("val_loss", lr)\n' >pairs.py
refuse "a program without help is told what to search" 2 'pairs.py --help ended with status 1: .*told what to search: --param lr=' gannet init --from pairs.py
claim "and then has a file" gannet init --from pairs.py --param lr=0.1..1
matches "that says how the parameters are given" "LOOK HERE: the program's help does not name lr. They are given as --NAME=VALUE" "$(cat pairs.yaml)"
claim "with which it runs" gannet run pairs.yaml --set trial.args_style=plain -n 2 --quiet
claim "a module has its own name" gannet init -- python3 -m json.tool
is "and not Python's" "name: tool" "$(grep '^name:' tool.yaml)"
claim "nothing is left running" none_left
finish
