"""Every key of every screen, pressed in tmux: what is on the terminal then is what `gannet frame` draws behind the same keys.

    screen_keys.py EXP [--every]

It is run where `gannet` finds EXP, with a second experiment registered, so that there is a list of them. Screens and keys
are read from `gannet docs keys`. Each key with its first spelling is pressed on each screen once, in one of four sizes and
two locales; --every: with every spelling, in all of them. TAP goes to the standard output.

A terminal is typed into when it shows what it has to, never before; whatever is waited for is waited for ten minutes."""

import glob
import json
import os
import re
import shlex
import subprocess
import sys
import time

SIZES = ["80x24", "120x40", "200x50", "40x12"]
LOCALES = ["C.UTF-8", "C"]
PATIENCE = 600
TMUX_KEYS = {"PageUp": "PPage", "PageDown": "NPage", "Esc": "Escape", "Backspace": "BSpace", "Delete": "DC"}
NAMED = set(TMUX_KEYS) | {"Up", "Down", "Left", "Right", "Home", "End", "Enter", "Tab", "Space"}
# What leads to a screen from any other, behind an Esc that closes what is open.
WAYS = {"trial": "1 g Enter", "output": "1 : h e l p Enter", "experiments": "1 Esc"}
# Keys that are pressed again, because what they do stays.
TWICE = {"p", "F2"}
# A wheel is reported by a terminal whose mouse was asked for: as tmux's own terminals do it.
WHEELS = {"WheelUp": "1b 5b 4d 60 25 26", "WheelDown": "1b 5b 4d 61 25 26"}


def read_table():
    """The screens and how each is opened, and the keys: [(spellings, screens), ...]; "prompt" is a screen, too."""
    screens, keys, prompt = {"prompt": "1 : h e l p"}, [], False
    document = subprocess.run(["gannet", "docs", "keys"], stdout=subprocess.PIPE, check=True).stdout
    for line in document.decode().splitlines():
        cells = [re.findall("`([^`]+)`", cell) for cell in line.split(" | ")]
        prompt = prompt or line.startswith("While a line is typed")
        if not line.startswith("| `"):
            continue
        if cells[0][0] in WAYS or len(cells) == 3 and cells[1] and cells[1][0].isdigit():
            screens[cells[0][0]] = WAYS.get(cells[0][0]) or cells[1][0]
        else:
            keys.append((cells[0], ["prompt"] if prompt else cells[1]))
    return screens, keys


class Tmux:
    """A server of our own, led through one client that reads commands: no process for each of them."""

    def __init__(self, socket):
        environment = {**os.environ, "LC_ALL": "C.UTF-8"}
        environment.pop("TMUX", None)
        self.client = subprocess.Popen(["tmux", "-S", socket, "-f", "/dev/null", "-C", "new-session", "-s", "keys", "cat"],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        self.socket, self.is_open = socket, False
        self.read_answer()
        for command in ["refresh-client -f no-output", "set -g default-terminal screen", "set -g status off"]:
            self.say(command)

    def read_answer(self):
        lines, inside = [], False
        for raw in self.client.stdout:
            line = raw.decode("utf-8", "replace").rstrip("\n")
            if line.startswith(("%end ", "%error ")):
                if line.startswith("%error "):
                    raise RuntimeError("tmux: " + " ".join(lines))
                return lines
            if inside:
                lines.append(line)
            inside = inside or line.startswith("%begin ")
        raise RuntimeError("tmux has ended")

    def say(self, command):
        self.client.stdin.write(command.encode() + b"\n")
        self.client.stdin.flush()
        return self.read_answer()

    def open(self, size, command):
        columns, rows = size.split("x")
        if self.is_open:
            self.say("kill-session -t run")
        self.say(f"new-session -d -s run -x {columns} -y {rows} {shlex.quote(command)}")
        self.is_open = True

    def press(self, spelling):
        if spelling in WHEELS:
            self.say(f"send-keys -t run: -H {WHEELS[spelling]}")
        elif spelling in NAMED or re.fullmatch(r"F\d+", spelling):
            self.say(f"send-keys -t run: {TMUX_KEYS.get(spelling, spelling)}")
        elif len(spelling) == 2 and spelling[0] == "^":
            self.say(f"send-keys -t run: C-{spelling[1].lower()}")
        else:
            self.say(f"send-keys -t run: -l {shlex.quote(spelling)}")

    def screen(self):
        return [line.rstrip() for line in self.say("capture-pane -p -t run:")]

    def ask(self, what):
        return self.say(f"display-message -p -t run: '{what}'")[0]

    def close(self):
        """The client goes first: a server that is told to end by its only client has been seen to wait for ever."""
        server = self.say("display-message -p '#{pid}'")[0]
        self.client.stdin.close()
        self.client.stdout.read()
        self.client.wait()
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], stderr=subprocess.DEVNULL, check=False)
        until(lambda: has_ended(server))


def has_ended(pid):
    """A process that nobody reaps stays as a zombie: where the first process of a container is not made for that."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def until(holds):
    """Waits for it, seldom when it takes long: what looks often takes time from what it waits for."""
    end, pause = time.monotonic() + PATIENCE, 0.002
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(pause)
        pause = min(pause * 1.5, 0.3)
    return holds()


def comparable(lines):
    """Without the clock at the top and ages, which go on."""
    head = re.sub(r"(held at )?\s*(silent .*)?\d\d:\d\d:\d\d$", "", lines[0])[:24] if lines else ""
    held = "held at " if lines and "held at" in lines[0] else ""
    listed = lines and lines[0].startswith("Your experiments")
    age = r" +[0-9.]+(ms|s|m|h|d)[0-9smhd]*( .*|…|~)?$" if listed else r" [0-9.]+(ms|s|m|h|d)[0-9smhd]* ?(ago.*|a…|a~|…|~)$"
    return [head.rstrip() + held] + [re.sub(age, "", line).rstrip() for line in lines[1:]]


class Run:
    """One window of a size and a locale, and what gannet frame draws behind the same keys."""

    def __init__(self, tmux, experiment, screen, way, size, locale, keys):
        self.tmux, self.size, self.screen, self.keys, self.failures = tmux, size, screen, keys, []
        self.steps = [[key for key in way.split()]]
        for key in keys:
            wheel = ["F2"] if key in WHEELS else []
            self.steps += [wheel + [key], (wheel or ([key] if key in TWICE else [])) + ["Esc"] + way.split()]
        environment = {**os.environ, "LC_ALL": locale}
        typed = " ".join(" ".join(step) for step in self.steps)
        drawn = subprocess.run(["gannet", "frame", experiment, "--jsonl", "--screen", "experiments", "--size", size,
                                "--keys", typed], stdout=subprocess.PIPE, env=environment, check=True)
        self.frames = [json.loads(line) for line in drawn.stdout.splitlines()]
        tmux.open(size, f"trap : INT; LC_ALL={locale} gannet status; echo it left with $?; cat")

    def fail(self, what, frame):
        self.failures.append((what, frame["text"], "\n".join(self.tmux.screen())))

    def shows(self, frame, beneath=None):
        """Whether the frame is seen, with the cursor where it stands; `beneath`: what the last lines say instead."""
        expected, seen = comparable(frame["text"].split("\n")), comparable(self.tmux.screen())
        rows = int(self.size.split("x")[1])
        expected, seen = [(lines + [""] * rows)[:rows] for lines in (expected, seen)]
        if beneath is not None:
            said = [at for at in range(rows) if " ".join(seen[at:]).startswith(beneath[:30])]
            if not said:
                return False
            expected, seen = expected[:said[-1]], seen[:said[-1]]
        cursor = "{1} {0}".format(*frame["cursor"])
        return expected == seen and self.tmux.ask("#{cursor_x} #{cursor_y}") == cursor

    def expect(self, what, frame, beneath=None):
        if not until(lambda: self.shows(frame, beneath)):
            self.fail(what, frame)

    def check_file(self, what, frame):
        """w: the note names a file, which has what was seen."""
        self.expect(what, frame, beneath="written to gannet-" + self.screen)
        files = glob.glob(f"gannet-{self.screen}-*.txt")
        for name in files:
            with open(name, encoding="utf-8") as file:
                if comparable(file.read().split("\n")) != comparable(frame["text"].split("\n")):
                    self.fail(what + " into a file", frame)
            os.remove(name)
        if len(files) != 1:
            self.fail(f"{what}: {len(files)} files", frame)

    def check_opened(self, what, frame):
        """Enter in the list of experiments opens one, whose own frame is drawn from its own sections."""
        if not until(lambda: "Overview" in self.tmux.screen()[1] and "Best" in "\n".join(self.tmux.screen())):
            self.fail(what, frame)

    def check(self, key, frame):
        what = f"{key} on {self.screen}"
        if frame["action"] == "write":
            self.check_file(what, frame)
        elif frame["action"] == "mouse":
            self.expect(what, frame, beneath="a click chooses a row")
        elif self.screen == "experiments" and key in ("Enter", "Right", "l"):
            self.check_opened(what, frame)
        else:
            self.expect(what, frame)

    def press_step(self, at, step):
        """Types a step's keys, Enter when the row to open is there; the number of the frame behind them."""
        for key in step:
            if key == "Enter" and len(step) > 1:
                self.expect("before Enter", self.frames[at])
            self.tmux.press(key)
            at += 1
            if key == "F2" and step[-1] in WHEELS and len(step) == 2: # the terminal reports wheels from now on
                self.expect("F2", self.frames[at], beneath="a click chooses a row")
        return at

    def leave(self, key):
        """A key that leaves: the program ends, and what stood on the terminal before stands there again. ^C is a signal."""
        if self.screen == "prompt": # where q is a letter
            self.tmux.press("Esc")
        self.tmux.press(key)
        status = 130 if key == "^C" else 0
        if not until(lambda: "\n".join(self.tmux.screen()).strip() == f"it left with {status}"):
            self.fail(f"{key} leaves {self.screen}", self.frames[-1])

    def press_all(self, leaving):
        self.expect("the first frame", self.frames[0])
        at = self.press_step(0, self.steps[0])
        self.expect(f"the way to {self.screen}", self.frames[at])
        for number, key in enumerate(self.keys):
            at = self.press_step(at, self.steps[1 + 2 * number])
            self.check(key, self.frames[at])
            at = self.press_step(at, self.steps[2 + 2 * number])
            self.expect(f"{self.screen} again behind {key}", self.frames[at])
            if self.failures:
                break
        self.leave(leaving)
        return self.failures


def places(screens, every):
    """(screen, size, locale, which of how many parts of the keys): all of them, or each size for each screen."""
    for row, screen in enumerate(screens):
        for column, size in enumerate(SIZES):
            for locale in LOCALES if every else [LOCALES[(row + column) % 2]]:
                yield screen, size, locale, (0, 1) if every else (column, len(SIZES))


def main():
    experiment, every = sys.argv[1], "--every" in sys.argv[2:]
    screens, table = read_table()
    tmux, claims, pressed, bad = Tmux(os.path.abspath("tmux")), 0, set(), 0
    try:
        for screen, size, locale, (part, parts) in places(screens, every):
            rows = [spellings if every else spellings[:1] for spellings, on in table if screen in on or not on and screen != "prompt"]
            keys = [key for spellings in rows for key in spellings if key not in ("q", "^C")][part::parts]
            leaving = ["q", "^C"][claims % 2]
            run = Run(tmux, experiment, screen, screens[screen], size, locale, keys)
            failures = run.press_all(leaving)
            pressed |= {(screen, key) for key in [*keys, leaving]}
            claims += 1
            bad += bool(failures)
            print(f"{'not ok' if failures else 'ok'} {claims} - {screen} at {size} in {locale}: {len(keys)} keys", flush=True)
            for what, expected, seen in failures[:1]:
                print("\n".join("# " + line for line in [what, "expected:", *expected.split("\n"), "seen:", *seen.split("\n")]))
    finally:
        tmux.close()
    print(f"# {len(pressed)} pairs of screen and key, {len(screens)} screens, {len(table)} rows of keys")
    return 1 if bad else 0


sys.exit(main())
