"""What a command costs that writes a file: exports_cost.py FILE COMMAND...; a line, and the file is removed."""
import os
import sys

path, command = sys.argv[1], sys.argv[2:]
process = os.posix_spawn(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
_, status, used = os.wait4(process, 0)
if status:
    sys.exit(f"{' '.join(command)}: it failed")
print(f"{' '.join(command[4:-2]):15s} {used.ru_utime + used.ru_stime:8.2f} s of processor  {used.ru_maxrss / 1024:6.1f} MiB at most "
      f"{os.path.getsize(path) / 1e6:8.1f} MB", flush=True)
os.unlink(path)
