#!/bin/bash
# gannet status on a terminal is a screen: keys move it, sizes fit it, and the terminal is as before whatever ends it
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
needs tmux
scratch

bowl bowl.yaml 30
claim "a search is there" gannet run bowl.yaml --quiet

# A tmux of our own: `keys WORDS` types, `seen PATTERN` waits until the screen has it.
socket=$SCRATCH/tmux
mux() { env -u TMUX LC_ALL=C.UTF-8 tmux -S "$socket" -f /dev/null "$@"; }
keys() { mux send-keys -t s "$@"; }
screen() { mux capture-pane -p -t s; }
shows() { screen | grep -Eq -e "$1"; }
seen() { until_true shows "$1"; }
# What is typed while the terminal is given back is lost: curses throws away what came too early.
leave() {
    keys q
    until_true eval '! shows "q quit"' && seen 'ready> *$'
}
columns() { screen | LC_ALL=C.UTF-8 wc -L; }
clean_mux() { mux kill-server 2>/dev/null; lib_clean; }
trap clean_mux EXIT

mux new-session -d -s s -x 80 -y 24 "env LC_ALL=C.UTF-8 PS1='ready> ' bash --norc --noprofile"
claim "a shell is there" seen 'ready>'
keys "stty -a >before; gannet status" Enter
claim "the overview comes" seen '1 Overview.*2 Trials'
claim "it has the count, the best and the keys" eval "seen '30/30' && seen 'Best .*trial' && seen 'q quit'"
claim "the chosen row has the cursor" test "$(mux display-message -p -t s '#{cursor_y}')" -gt 3

for size in 120x40 200x50 40x12 80x24; do
    mux resize-window -t s -x "${size%x*}" -y "${size#*x}"
    claim "at $size it is drawn anew" eval "seen '30/30' && seen 'trial'"
    claim "and no line is too long" test "$(columns)" -le "${size%x*}"
done

keys 2
claim "a digit opens a screen" seen 'trial.*state'
keys Enter
claim "Enter opens a trial" seen 'Trial [0-9]+'
keys Escape
claim "Esc goes back" seen '30 trials'
keys Tab
claim "Tab goes on" until_true eval '! shows "^30 trials"'
keys 1
keys '?'
claim "? shows the keys" seen 'the row above'
keys x
claim "any key takes them away" seen '30/30'
keys : "best --as args" Enter
claim ": runs a command of this experiment" seen '\-\-x1='
keys : "expl" Tab
claim "Tab completes it" seen '^:explain $|^:explain *$'
keys C-u Up Home "X" End "Y"
claim "Up brings back what was typed, and the caret moves in it" seen '^:Xbest --as argsY$'
keys Escape
keys / x2 Enter n Escape
claim "and Esc leaves what it said" seen '30/30'
paste() { # paste TEXT: as a terminal does it that marks what is pasted
    mux set-buffer -- "$1" && mux paste-buffer -p -t s
}
paste "q2Sy"
claim "what is pasted is no key" seen 'what is pasted is no key'
keys :
paste "best
--as args"
claim "it is text where one is typed, on one line" seen '^:best --as args *$'
head -c 1000000 /dev/zero | tr '\0' q >long
mux load-buffer long
mux paste-buffer -p -t s
keys C-u x
claim "a megabyte of it is no more than the line takes" seen '^:x *$'
keys Escape
keys S
claim "a change that can't be made says why" seen 'it does not run'
keys y
claim "y shows the command" seen 'gannet (status|show) '
keys w
claim "w writes the frame" seen 'written to gannet-overview-'
claim "as it is seen" grep -q '30/30' gannet-overview-*.txt
first=$(ls gannet-overview-*.txt)
keys w
claim "and again into another file" until_true eval 'ls gannet-overview-*.txt | grep -qvxF "$first"'
keys p
claim "p holds the display" seen 'held at'
mux pipe-pane -t s "cat >>'$SCRATCH/bytes'"
sleep 3 # nothing comes in this time, however fast or slow the machine is
mux pipe-pane -t s
claim "a frame that is as before writes nothing" test ! -s bytes
keys p C-l
keys C-z
claim "Ctrl-Z gives the terminal back" seen 'Stopped'
keys fg Enter
claim "and fg takes it again" seen 'q quit'
claim "q leaves" leave
keys clear Enter "stty -a >after; cmp before after && echo same" Enter
claim "the terminal is as before" seen '^same'

# ended_by SIGNAL: the program is ended; the shell is there, and nothing of the screen. A sanitizer would report SIGSEGV as a finding.
ended_by() {
    keys clear Enter "ASAN_OPTIONS=\$ASAN_OPTIONS:handle_segv=0 TSAN_OPTIONS=\$TSAN_OPTIONS:handle_segv=0 gannet status" Enter
    seen 'q quit' || return 1
    kill "-$1" "$(left | awk '/gannet status/ && !/bash/ { print $1; exit }')"
    until_true eval 'shows "ready> *$" && ! shows "q quit"' || return 1
    keys clear Enter "stty -a >after; cmp before after && echo same" Enter
    seen '^same'
}
for signal in TERM HUP INT SEGV ABRT; do
    claim "SIG$signal leaves the terminal as it was" ended_by $signal
done
# Nobody can do anything about SIGKILL: the shell brings its settings back, the picture stays.
keys clear Enter "gannet status" Enter
seen 'q quit'
kill -KILL "$(left | awk '/gannet status/ && !/bash/ { print $1; exit }')"
claim "after SIGKILL the shell reads lines" seen 'Killed'
keys "stty -a >after; cmp before after && echo same" Enter
claim "with the settings that it had" seen '^same'
keys "reset; echo it was reset" Enter
seen '^it was reset'

keys "LC_ALL=C gannet status" Enter
claim "without UTF-8" seen '1 Overview - 2'
claim "all is ASCII" sh -c "! env LC_ALL=C tmux -S '$socket' capture-pane -p -t s | LC_ALL=C grep -q '[^ -~]'"
leave
keys clear Enter "TERM=dumb gannet status" Enter
claim "a dumb terminal gets text" seen '^name: bowl'
keys clear Enter "TERM=unheard-of gannet status" Enter
claim "so does one that is unknown here" seen '^State +ended'
claim "which is said" seen "does not know .*'unheard-of'"
keys clear Enter "env TERM=xterm-unheard LC_ALL=xx_YY.UTF-8 gannet status" Enter
claim "one of a family that is known has the screen, and a language that is not here its characters" seen '1 Overview ─ 2 Trials'
leave
keys clear Enter "gannet status --once" Enter
claim "who asks for text gets it" seen '^State +ended'

mkdir full && touch full.full
full="env LD_PRELOAD=$GANNET_BUILD/tests/slow_disk.so GANNET_TEST_FULL=$SCRATCH/full"
case $GANNET_BUILD in */address* | */thread* | */undefined*) skip "a full disk" "a sanitized program can't be given one" ;; *)
    refuse "a model that the disk has no room for is not written" 1 "can't write the model: .*No space" \
        $full gannet frame runs/bowl --save full/model
    keys clear Enter "cd full; $full gannet status ../runs/bowl; cd .." Enter
    seen 'q quit'
    keys w
    claim "nor is a frame, and it is said" seen "^can't write 'gannet-overview-.*No space"
    leave
    is "nothing of them is left" "" "$(ls full)"
    ;;
esac

claim "another search is there" gannet run bowl.yaml --dir elsewhere/bowl2 --quiet
keys clear Enter "gannet status" Enter
claim "without a name several are listed" eval "seen 'Your experiments' && seen '^bowl2 .* 30/30' && seen '^bowl '"
keys Enter
claim "Enter opens one" until_true eval 'shows "^bowl2 +ended" && ! shows "Your experiments"' # where its row begins so, too
keys y
claim "and what is copied there finds it from here" seen 'gannet (show|status) .*elsewhere/bowl2'
keys Escape
claim "Esc leads back to the list" seen 'Your experiments'
leave
keys clear Enter "timeout 60 gannet status --read-only bowl; echo its end" Enter
claim "who is not in front of the terminal gets text, and is not stopped" seen 'its end'

cat >gone.py <<'PY'
# A terminal that nobody controls, so that no signal says when it is closed.
import os, pty, signal, subprocess, sys
signal.alarm(120)
ours, theirs = pty.openpty()
program = subprocess.Popen(["gannet", "status", "bowl"], stdin=theirs, stdout=theirs, stderr=theirs,
                           start_new_session=True, env={**os.environ, "TERM": "xterm"})
os.close(theirs)
seen = b""
while b"quit" not in seen:
    seen += os.read(ours, 65536)
os.close(ours)
sys.exit(0 if program.wait() == 128 + signal.SIGHUP else 1)
PY
claim "a terminal that is closed without a signal ends it" python3 gone.py

cat >phantom.py <<'PY'
# Keys that are announced and gone when they are read: the screen goes on, and takes one that comes while it asks why.
import os, pty, subprocess, sys, time
ours, theirs = pty.openpty()
program = subprocess.Popen(["gannet", "status", "bowl"], stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
                           env={**os.environ, "TERM": "xterm", "LD_PRELOAD": sys.argv[1], "GANNET_TEST_PHANTOM": "phantom"})
os.close(theirs)
seen = b""
while b"quit" not in seen:
    seen += os.read(ours, 65536)
def count(name):
    return os.path.getsize(name) if os.path.exists(name) else 0
def await_bytes(name, least):
    deadline = time.monotonic() + 60
    while count(name) < least and time.monotonic() < deadline:
        time.sleep(0.01)
    return count(name) >= least
open("phantom", "w").close()
enough = await_bytes("phantom.told", 20)
open("phantom.late", "w").close()
enough = await_bytes("phantom.asked", 1) and enough
os.unlink("phantom")
os.write(ours, b"q")
try:
    while os.read(ours, 65536):
        pass
except OSError:  # so ends a terminal whose programs are gone
    pass
status = program.wait()
print(f"{count('phantom.told')} announcements, {count('phantom.asked')} questions, status {status}")
sys.exit(0 if enough and status == 0 else 1)
PY
case $GANNET_BUILD in */address* | */thread* | */undefined*) skip "keys that are gone" "a sanitized program can't be given them" ;; *)
    claim "a key that is gone when it is read keeps nothing from going on" \
        timeout 120 python3 phantom.py "$GANNET_BUILD/tests/phantom_key.so"
    ;;
esac

# What is written: of frames after the first one the cells that have changed.
mux kill-server
printf 'the screen, opened for three seconds: ' >said
TERM=xterm LC_ALL=C.UTF-8 script -qec "stty cols 80 rows 24; timeout --foreground 3 gannet status" /dev/null </dev/null >written
wc -c <written >>said
diag <said
claim "something was written" test -s written
claim "nothing is left running" none_left
finish
