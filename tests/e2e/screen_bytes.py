"""What the screen writes to a terminal, in bytes, and what it makes of keys that come all at once.

    screen_bytes.py bytes EXP COLUMNSxROWS SECONDS MOST   each screen for so long; fails when one writes more than MOST a second
    screen_bytes.py type EXP KEYS PATTERN                 types KEYS in one piece, waits until PATTERN was written, leaves
    screen_bytes.py stall EXP                             reads nothing any more until it waits for that, and tells it to end

It is a terminal of its own: whatever comes is counted and thrown away. Nothing is waited for longer than ten minutes."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

PATIENCE = 600


class Screen:
    def __init__(self, experiment, size):
        columns, rows = map(int, size.split("x"))
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm-256color", COLUMNS="", LINES="")
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execvp("gannet", ["gannet", "status", experiment])
        self.written = b""

    def read(self, seconds):
        """What comes in this time; less when it ends."""
        came, end = b"", time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.terminal], [], [], left)[0]:
                try:
                    came += os.read(self.terminal, 65536)
                except OSError:
                    break
        self.written += came
        return came

    def type(self, text):
        self.written = b""
        os.write(self.terminal, text.encode())

    def wait_for(self, pattern):
        end = time.monotonic() + PATIENCE
        while not re.search(pattern.encode(), self.written):
            if time.monotonic() > end:
                raise TimeoutError(f"{pattern} did not come: {self.written[-2000:]!r}")
            self.read(0.2)

    def settle(self):
        """Until only what goes on is written: nothing for a moment, then a frame."""
        end = time.monotonic() + PATIENCE
        while len(self.read(1)) > 2000 and time.monotonic() < end:
            pass

    def leave(self):
        os.kill(self.pid, signal.SIGTERM)
        self.read(1)
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


def count_bytes(experiment, size, seconds, most):
    screen, worst = Screen(experiment, size), 0
    screen.wait_for("Overview")
    for key in "123456":
        screen.type(key)
        screen.settle()
        begun = time.monotonic()
        each = len(screen.read(seconds)) / (time.monotonic() - begun)
        print(f"screen {key} at {size}: {each:.0f} bytes a second")
        worst = max(worst, each)
    screen.leave()
    return worst <= most


def type_at_once(experiment, keys, pattern):
    screen = Screen(experiment, "80x24")
    screen.wait_for("Trials .*/")
    screen.settle()
    screen.type(keys)
    screen.wait_for(pattern)
    screen.read(1)
    screen.leave()
    return True


def is_full(screen):
    """Whether nothing more is taken: seen from its other side, a frame before it is so."""
    own = os.open(f"/proc/{screen.pid}/fd/1", os.O_WRONLY | os.O_NOCTTY)
    takes = select.select([], [own], [], 0)[1]
    os.close(own)
    return not takes


def stall(experiment):
    screen = Screen(experiment, "200x50")
    screen.wait_for("Trials .*/")
    end = time.monotonic() + PATIENCE
    while not is_full(screen) and time.monotonic() < end:
        os.write(screen.terminal, b"\x0c")
        time.sleep(0.05)
    os.kill(screen.pid, signal.SIGTERM)
    while time.monotonic() < end:
        pid, status = os.waitpid(screen.pid, os.WNOHANG)
        if pid:
            return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGTERM or os.waitstatus_to_exitcode(status) == 143
        time.sleep(0.05)
    return False


what, experiment, *rest = sys.argv[1:]
if what == "stall":
    sys.exit(0 if stall(experiment) else 1)
if what == "bytes":
    sys.exit(0 if count_bytes(experiment, rest[0], float(rest[1]), float(rest[2])) else 1)
sys.exit(0 if type_at_once(experiment, rest[0], rest[1]) else 1)
