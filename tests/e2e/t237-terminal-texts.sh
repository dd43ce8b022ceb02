#!/bin/bash
# what people, programs and files put into texts reaches no terminal as a command to it
. "$(dirname "$0")/lib.sh"
scratch

# Values, names and output that would change the title, colours and the cursor; \u009b is what ESC [ is in one character.
cat >wild.yaml <<'END'
version: 1
name: wild
seed: 1
description: "a \e]0;title\a description"
trial: {command: ['./wild', '${args}'], grace: 1s}
metric: {name: value, goal: minimize}
parameters:
  lr: {min: 0.0, max: 1.0}
  kind: ["\e[2J", "\u009b2J"]
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
printf '\033]0;title\007err\n' >&2
[ $((GANNET_TRIAL % 4)) != 2 ] # so that some fail, with a reason
END
chmod +x wild

# calm STATUS COMMAND...: what the command says, on both channels, has no control characters but newlines and tabs (CSV:
# carriage returns).
calm() {
    calm_status=$1
    shift
    "$@" >said 2>&1
    [ $? = "$calm_status" ] && [ -s said ] && ! sed 's/\r$//' said | LC_ALL=C grep -aqP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' &&
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
claim "a bar of progress is lines" eval 'gannet logs "$run/1" | grep -x "progress 2"'
claim "a name that is none is quoted so, too" calm 5 gannet status "$(printf 'no\033[31mthing')"
claim "with --raw the bytes are there" eval 'gannet logs "$run/1" --raw | LC_ALL=C grep -aqP "\x1b\[2Jout \xc2\x9b31m"'
finish
