#!/bin/bash
# plot draws what a search came to, report writes a page of it: on a real run, with names and outputs that are hostile
. "$(dirname "$0")/lib.sh"
scratch
needs python3

cat >train.py <<'PYTHON'
import sys
given = dict(word.lstrip("-").split("=", 1) for word in sys.argv[1:])
if int(given["width"]) > 12:
    sys.exit("<script>alert(1)</script> out of memory")
for step in range(1, 4):
    print("loss=%g step=%d" % (float(given["lr"]) + 1 / step, step), flush=True)
PYTHON
cat >hostile.yaml <<'YAML'
version: 1
name: hostile
description: "</title><script>alert('x')</script>"
seed: 3
trial: {command: [python3, train.py, "${args}"], retries: 0}
metric: {name: loss, goal: minimize, step: step}
parameters:
  lr: {min: 0.001, max: 1.0, log: true}
  width: {min: 1, max: 16}
  kind: ["plain", "<img src=x onerror=alert(1)>"]
strategy: random
limits: {max_trials: 24, max_failures: 24}
YAML
cat >other.yaml <<'YAML'
version: 1
name: other
trial: {kernel: synth, options: {function: branin}}
metric: {name: value, goal: minimize}
parameters: {x1: {min: -5.0, max: 10.0}, x2: {min: 0.0, max: 15.0}}
strategy: random
limits: {max_trials: 30}
YAML
gannet run hostile.yaml --dir r --quiet >said 2>&1
is "the search has ended" 24 "$(gannet trials r --json | grep -c '"trial": [0-9]')"
claim "another one, too" gannet run other.yaml --dir o --quiet
claim "and one of the same with another seed" gannet run other.yaml --dir p --set seed=7 --set name=again --quiet

# --- plot ---
matches "plot lists the kinds of pictures" '^history  +what trials came to' "$(gannet plot)"
for kind in $(gannet plot | sed 's/ .*//'); do
    case $kind in
    front) refuse "front: one objective has none" 5 'needs several' gannet plot r front ;;
    *)
        claim "$kind: as SVG" gannet plot r "$kind" -o "$kind.svg"
        claim "$kind: which a reader of XML takes" python3 -c \
            'import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])' "$kind.svg"
        ;;
    esac
done
matches "in the terminal it is made of characters" '^ *[0-9.]+ \| ' "$(LC_ALL=C gannet plot r history)"
matches "with a sentence" 'The best of 24 trials that have ended, loss [0-9.]+, is trial [0-9]+' "$(gannet plot r history)"
best=$(gannet best r --json | sed -n 's/.*"value": \([0-9.e+-]*\).*/\1/p')
is "its numbers are the search's" "$best" "$(gannet plot r history --json | python3 -c \
    'import json, sys; print(json.load(sys.stdin)["numbers"][0]["best_so_far"][-1]["value"])')"
is "failures are counted" "$(gannet trials r --state failed --json | grep -c '"trial": [0-9]')" \
    "$(gannet plot r failures --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["numbers"]["failed"])')"
matches "without colours a curve has its name behind its end" '  (o|p|o, p|p, o)$' "$(LC_ALL=C gannet plot o p history)"
claim "several are compared" gannet plot o p history --along time -o both.svg
mkdir -p runs && cp -r o p runs/ # below which patterns look
claim "a pattern names all that match" gannet plot '[op]' history -o matched.svg
is "as their names do" "$(gannet plot runs/o runs/p history -o -)" "$(cat matched.svg)"
refuse "one that nothing matches is told" 5 "no experiment below runs/ matches 'z" gannet report 'z*' -o z.html
claim "report takes patterns, too" gannet report '[op]' -o matched.html
claim "and names what they matched" eval 'grep -q "<td>o</td>" matched.html && grep -q "<td>p</td>" matched.html'
refuse "in some kinds of pictures" 2 'drawn of one experiment' gannet plot o p timeline
refuse "with the same metric" 2 'is to minimize loss and o to minimize value' gannet report r o -o n.html
refuse "in pictures, too" 5 "can't be compared" gannet plot r o edf
refuse "another kind there is not" 2 'The kinds: history, ' gannet plot o p piechart
refuse "numbers or a picture, not both" 2 'give one of them' gannet plot r history --json -o x.svg
refuse "nor another format" 2 'takes FILE.svg' gannet plot r history -o x.gif
claim "the same picture may be drawn again" gannet plot r history -o history.svg
cp train.py mine.svg
refuse "a file that is no picture of gannet's stays" 2 'mine.svg is there already .*--force' gannet plot r history -o mine.svg
claim "as it was" cmp train.py mine.svg
claim "unless that is asked for" gannet plot r history -o mine.svg --force
is "then it is the picture" "$(cksum <history.svg)" "$(cksum <mine.svg)"
mkdir directory.svg
refuse "a directory is none" 2 'is a directory' gannet plot r history -o directory.svg
refuse "all that is found before an experiment is read" 2 'mine.html is there' gannet report nowhere -o "$(cp train.py mine.html; echo mine.html)"
if command -v rsvg-convert >/dev/null; then
    claim "as PNG" gannet plot r history -o history.png
    claim "and again" gannet plot r history -o history.png
    claim "which says who wrote it" python3 - history.png <<'PYTHON'
import struct, sys, zlib
data, at, chunks = open(sys.argv[1], "rb").read(), 8, []
while at < len(data):
    length, = struct.unpack(">I", data[at:at + 4])
    kind, content = data[at + 4:at + 8], data[at + 8:at + 8 + length]
    assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + content), kind
    chunks.append((kind, content))
    at += 12 + length
assert chunks[0][0] == b"IHDR" and chunks[-1][0] == b"IEND"
assert chunks[1] == (b"tEXt", b"Software\0gannet")
PYTHON
    rsvg-convert history.svg -o theirs.png
    refuse "another program's PNG stays" 2 'theirs.png is there already' gannet plot r history -o theirs.png
    claim "which is one" grep -q PNG <(head -c 8 history.png)
else
    skip "as PNG" "rsvg-convert is not installed"
fi
mkdir without
refuse "PNG without the program for it names the package" 1 'librsvg2-bin' env PATH="$PWD/without" "$(command -v gannet)" plot r history -o x.png
claim "and leaves no file" [ ! -e x.png ]

# --- report ---
claim "report writes a page" gannet report r -o r.html
claim "and again" gannet report r -o r.html
refuse "a person's own file stays" 2 'train.py is there already and is no report that gannet wrote' gannet report r -o train.py
claim "as it was" grep -q '^import sys' train.py
printf '<!doctype html>\n<html lang="en">mine' >report.html
refuse "under the usual name, too" 2 'report.html is there already' gannet report r
claim "unless that is asked for" gannet report r --force
is "then it is the page" "$(cksum <r.html)" "$(cksum <report.html)"
touch empty.html && claim "an empty file is nobody's" gannet report r -o empty.html
for part in history curves importance parallel slices rank timeline losses phases failures trials again; do
    claim "with a section $part" grep -q "<section id=\"$part\">" r.html
done
is "texts of strangers make no element" "" "$(grep -oE "<script>alert|<img|</title><script" r.html)"
claim "they are text" grep -q '&lt;/title&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;' r.html
is "nothing is requested from anywhere" "" "$(grep -oE '(src|href|action)="?(https?:)?//[^"]*|url\(|@import' r.html)"
claim "a policy forbids it" grep -q "default-src 'none'" r.html
claim "the best trial's command is there" grep -q 'python3 train.py --lr=' r.html
claim "what failed said why" grep -qE '<tr><td>exited</td><td class="n">[0-9]+</td><td>[0-9, .]+</td><td class="said">&lt;script&gt;alert\(1\)&lt;/script&gt; out of memory</td>' r.html
claim "for publishing there is less" gannet report r --no-commands --no-env -o public.html
is "no command, no file, no names" "" "$(grep -oE "train\.py|$PWD|<th>nodes" public.html | head -1)"
is "nor what programs wrote" "" "$(grep -o "out of memory</td>" public.html | head -1)"
claim "nodes are counted instead" grep -q '>node 1 slot 0<' public.html
claim "several are compared in one page" gannet report o p -o both.html
claim "by their bests" grep -q '<section id="bests">' both.html
refuse "an experiment that is not there" 5 '' gannet report nowhere -o n.html
claim "leaves no page" test ! -e n.html
finish
