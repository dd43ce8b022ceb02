#!/bin/bash
# what people, programs and files put into texts reaches no terminal as a command to it
. "$(dirname "$0")/lib.sh"
scratch

# Values, names and output that would change the title, colours and the cursor; \u009b is what ESC [ is in one character. \u202e turns
# the direction of what follows, \u200b takes no room.
cat >wild.yaml <<'END'
version: 1
name: wild
seed: 1
description: "a \e]0;title\a description"
trial: {command: ['./wild', '${args}'], grace: 1s}
metric: {name: value, goal: minimize}
parameters:
  lr: {min: 0.0, max: 1.0}
  kind: ["\e[2J", "\u009b2J", "\u202etxt\u200b", "=cmd|' /C calc'!A0"]
limits: {max_trials: 12, max_failures: 12}
END
cat >names.yaml <<'END'
version: 1
trial: {kernel: synth}
metric: {name: "v\e[2J", goal: minimize}
parameters:
  "l\e[31mr": {min: 0.0, max: 1.0}
END
cat >wild <<'END'
#!/bin/sh
printf 'progress 1\rprogress 2\n\033[2Jout \302\23331m\n'
printf 'value=1\n'
printf 'hidden \342\200\256\n'
printf '\033]0;title\007err\n' >&2
[ $((GANNET_TRIAL % 4)) != 2 ] # so that some fail, with a reason
END
chmod +x wild

# calm STATUS COMMAND...: what the command says, on both channels, has no control characters but newlines and tabs (CSV:
# carriage returns), and nothing that can't be seen (but in CSV).
calm() {
    calm_status=$1
    shift
    "$@" >said 2>&1
    [ $? = "$calm_status" ] && [ -s said ] && ! sed 's/\r$//' said | LC_ALL=C grep -aqP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' &&
        { [[ $* = *--csv* ]] || ! LC_ALL=C grep -aqP '\xe2\x80[\x8b\xae]' said; } &&
        return 0
    cat -v said
    return 1
}

run=$(printf 'runs/w\033[31m')
claim "it is checked" calm 0 gannet check wild.yaml
claim "names are refused in plain words" calm 2 gannet check names.yaml
claim "it runs" calm 0 gannet run wild.yaml --dir "$run"
for words in 'status @' 'trials @' 'trials @ --csv' 'trials @ --json' 'best @' 'best @ --json' 'best @ --as args' 'best @ --as json' \
    'best @ --as yaml' 'best @ --as env' 'show @/1' 'show @/2' 'show @/1 --json' 'explain @/2' 'importance @' 'logs @' 'logs @/1' 'logs @/2' \
    'logs @ --events' 'replay @'; do
    read -ra words <<<"$words"
    claim "gannet ${words[*]}" calm 0 gannet "${words[@]//@/$run}"
done
claim "gannet ls" calm 0 gannet ls
shown=$(gannet status "$run" --once | sed -n 's/.*(\(gannet logs .* [0-9]*\)): .*/\1/p' | head -n 1)
claim "a command that is shown can be pasted into a shell: $(printf '%s' "$shown" | tr -c '[:print:]' '?')" calm 0 bash -c "$shown"
claim "a picture" calm 0 gannet plot "$run" history
claim "a report" calm 0 gannet report "$run" -o -
claim "what hides is shown" eval 'gannet trials "$run" | grep -qF "\u202etxt\u200b"'
claim "in the report, too" eval 'gannet report "$run" -o - | grep -qF "\u202etxt\u200b"'
is "programs get what it is, and formulas as texts" "'=cmd|' /C calc'!A0 $(printf '\342\200\256txt\342\200\213')" \
    "$(gannet trials "$run" --csv --columns param.kind | tr -d '\r' | grep -a 'txt\|cmd' | LC_ALL=C sort -u | paste -sd' ')"
claim "a bar of progress is lines" eval 'gannet logs "$run/1" | grep -x "progress 2"'
cp -a "$run" "$run-2"
claim "searches that are compared" calm 0 gannet compare "$run" "$run-2"
wild=$(printf 'n\033[31m\342\200\256')
claim "an experiment file of that name" calm 2 gannet check names.yaml --set "$wild=1"
cp names.yaml "$wild.yaml"
claim "and its problems" calm 2 gannet check "$wild.yaml"
claim "one that is written" calm 0 gannet init -o "$wild-new.yaml"
printf 'lr,loss\n0.1,2\n0.2,3\n' >results.csv
claim "one that is taken over, and its past" calm 0 gannet import csv results.csv --metric loss -o "$wild-csv.yaml" --dir "$run-csv"
claim "a name that is none is quoted so, too" calm 5 gannet status "$(printf 'no\033[31mthing')"
claim "with --raw the bytes are there" eval 'gannet logs "$run/1" --raw | LC_ALL=C grep -aqP "\x1b\[2Jout \xc2\x9b31m"'
finish
