#!/bin/bash
# every command explains itself, and a mistyped one is answered with a suggestion
. "$(dirname "$0")/lib.sh"
scratch

claim "gannet --version says which gannet it is" sh -c 'gannet --version | grep -E "^gannet [0-9]+\.[0-9]+\.[0-9]+$"'
# Loading oneDNN is half of what a command costs to start, and only trainers compute with it.
claim "the command line loads none of the kernels' libraries" sh -c 'readelf -d "$(command -v gannet)" | grep -q NEEDED.*zmq && ! readelf -d "$(command -v gannet)" | grep -q "NEEDED.*dnnl"'
refuse "gannet alone shows the list and is no success" 2 "^Running" gannet
claim "gannet help lists the commands" sh -c 'gannet help | grep -E "^  run +Runs an experiment"'
is "gannet --help shows the same" "$(gannet help)" "$(gannet --help)"

commands=$(gannet help | sed -n 's/^  \([a-z-]*\) .*/\1/p')
for command in $commands coordinator docs; do
    claim "gannet $command --help shows its options and statuses" \
        sh -c "gannet $command --help | grep -q '^Exit status' && gannet $command --help | grep -q -- '--help'"
    is "gannet help $command says the same" "$(gannet help $command)" "$(gannet $command --help)"
    refuse "gannet $command refuses an option that it has not" 2 "gannet $command has no option '--nonsense'" \
        gannet $command --nonsense
done

refuse "a mistyped command is answered with the nearest" 2 "no command 'trails'; did you mean 'trials'\\? The commands: init, import, run," \
    gannet trails
refuse "a mistyped option is answered with the nearest" 2 "no option '--wokers'; did you mean '--workers'\\?" \
    gannet run x.yaml --wokers 2
refuse "a wrong value names its option" 2 "gannet run: --workers needs a whole number from 1, not 'two'" \
    gannet run x.yaml --workers two
refuse "a missing argument is named" 2 "gannet run needs FILE: the experiment file" gannet run
refuse "an argument too many is named" 2 "'b.yaml' is one argument too many" gannet run a.yaml b.yaml
refuse "help of a command that is none suggests" 2 "did you mean 'status'" gannet help statsu

claim "no colour in a pipe" sh -c '! gannet help run | grep -q "$(printf "\033")"'
claim "colour when it is asked for" sh -c 'gannet help --color always | grep -q "$(printf "\033")"'
claim "NO_COLOR goes before CLICOLOR_FORCE" sh -c '! NO_COLOR=1 CLICOLOR_FORCE=1 gannet help | grep -q "$(printf "\033")"'
refuse "an output that can't be written is no success" 1 "can't write the output" sh -c 'gannet help >/dev/full'

gannet completion >completion.bash
claim "the completion script is bash" bash -n completion.bash
complete_words() { # the words that bash would offer for a command line
    bash -c '. ./completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gannet; echo "${COMPREPLY[*]}"' x "$@"
}
is "it completes commands" "stop status strategies stoppers" "$(complete_words gannet st | tr -s ' ')"
is "it completes options" "--workers" "$(complete_words gannet run --w)"
is "it completes the words of an option" "json" "$(complete_words gannet best --as j)"
mkdir -p runs/digits
is "it completes experiments" "digits" "$(complete_words gannet status d)"
is "a value of an option with a list of words is no experiment" "" "$(complete_words gannet best --as d)"
is "nor is a colour" "" "$(complete_words gannet status --color d)"
pages=$(gannet docs man | grep '^gannet-r' | sort | xargs)
is "it completes shells" "bash zsh fish" "$(complete_words gannet completion '' | grep -o '.*fish')"
is "it completes strategies" "grid" "$(complete_words gannet strategies gr)"
is "and kinds of early stopping" "patience" "$(complete_words gannet stoppers pat)"
>mine.yaml
is "it completes one file" "mine.yaml" "$(complete_words gannet run mi)"
is "any number of files" "mine.yaml" "$(complete_words gannet bench mi)"
is "files where experiments may stand, too" "mine.yaml digits" "$(complete_words gannet tell mi) $(complete_words gannet tell d)"
is "it completes pages" "$pages" "$(complete_words gannet docs gannet-r | tr ' ' '\n' | sort | xargs)"

is "bash is the default" "$(cat completion.bash)" "$(gannet completion bash)"
for shell in zsh fish; do
    gannet completion $shell >completion.$shell
    is "the completion for $shell knows every command" "" "$(for command in $commands; do
        grep -qE "[ ']$command([: ]|$)" completion.$shell || echo "$command"
    done)"
    if command -v $shell >/dev/null; then
        claim "the completion script is $shell" $shell -n completion.$shell
    else
        skip "the completion script is $shell" "$shell is not here (apt-get install $shell)"
    fi
done
complete_fish() { # the words that fish would offer for a line
    HOME=$SCRATCH fish -c "source completion.fish; complete -C '$1'" | cut -f1 | sort -u | xargs
}

# zsh offers words to somebody who types: it runs on a terminal of its own, and writes what it would offer into a file.
cp completion.zsh _gannet
cat >.zshrc <<'ZSH'
fpath=($PWD $fpath)
autoload -Uz compinit
compinit -u -D
compadd() { # calls that only ask what fits go their way
    [[ " $* " == *\ -[OAD]\ * ]] && { builtin compadd "$@"; return }
    local -a found
    builtin compadd -A found "$@"
    print -rl -- $found >>offered
}
offer() {
    zle complete-word
    print END
}
zle -N offer
bindkey '^I' offer
PROMPT=READY
ZSH
cat >type.zsh <<'ZSH'
zmodload zsh/zpty
zpty shell "ZDOTDIR=$PWD TERM=dumb zsh -d -i"
zpty -r shell said '*READY*'
zpty -w -n shell "$1"$'\t'
zpty -r shell said '*END*'
zpty -d shell
ZSH
complete_zsh() {
    rm -f offered
    zsh -f type.zsh "$1"
    sort -u offered | xargs
}
for shell in zsh fish; do
    if ! command -v $shell >/dev/null; then
        skip "what $shell completes" "$shell is not here (apt-get install $shell)"
        continue
    fi
    is "$shell completes commands" "status stop stoppers strategies" "$(complete_$shell 'gannet st')"
    is "$shell completes options" "--workers" "$(complete_$shell 'gannet run --w')"
    is "$shell completes the words of an option" "json" "$(complete_$shell 'gannet best --as j')"
    is "$shell completes shells" "bash fish zsh" "$(complete_$shell 'gannet completion ')"
    is "$shell completes strategies" "grid" "$(complete_$shell 'gannet strategies gr')"
    is "$shell completes any number of files" "mine.yaml" "$(complete_$shell 'gannet bench mi')"
    is "$shell completes pages" "$pages" "$(complete_$shell 'gannet docs gannet-r')"
    matches "$shell completes experiments" "digits" "$(complete_$shell 'gannet status d')"
done
refuse "a shell that is none is answered with the shells" 2 "The shells: bash, zsh, fish" gannet completion nonsense

claim "gannet schema is JSON" sh -c 'gannet schema | head -c 1 | grep -q "{"'
claim "gannet docs prints the pages that are made from tables" \
    sh -c 'gannet docs cli | grep -q "^## gannet run" && gannet docs messages | grep -q "^# Messages"'
for page in cli experiment messages; do
    is "docs/$page.md is what gannet docs $page prints" "$(cat "$SOURCE/docs/$page.md")" "$(gannet docs $page)"
done
refuse "a page that is none is answered with the pages" 2 "The pages: cli, experiment, keys, messages" gannet docs nonsense

is "there is a manual page for gannet, each command and the experiment file" \
    "$(printf '%s\n' gannet.1 $(printf 'gannet-%s.1 ' $commands) gannet-experiment.5 | sort)" "$(gannet docs man | sort)"
for page in $(gannet docs man); do
    gannet docs "$page" >"$page"
    is "$page names what it is about" "gannet" "$(sed -n '/^.SH "NAME"/{n;s/\\-/-/g;s/^\(gannet\).*/\1/p}' "$page")"
    if command -v man >/dev/null; then
        is "man reads $page" "" "$(MANROFFSEQ= man --warnings -l "$page" 2>&1 >/dev/null)"
    else
        skip "man reads $page" "man is not here (apt-get install man-db)"
    fi
done
refuse "a manual page that is none is none" 2 "no page 'gannet-nonsense.1'" gannet docs gannet-nonsense.1
finish
