"""What a command costs that writes a file or a directory: exports_cost.py PLACE COMMAND...; a line, and the place is removed."""
import os
import shutil
import sys

path, command = sys.argv[1], sys.argv[2:]
process = os.posix_spawn(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
_, status, used = os.wait4(process, 0)
if status:
    sys.exit(f"{' '.join(command)}: it failed")
if os.path.isdir(path):
    size = sum(os.path.getsize(os.path.join(above, name)) for above, _, names in os.walk(path) for name in names)
    shutil.rmtree(path)
else:
    size = os.path.getsize(path)
    os.unlink(path)
print(f"{' '.join(command[4:-2]):15s} {used.ru_utime + used.ru_stime:8.2f} s of processor  {used.ru_maxrss / 1024:6.1f} MiB at most "
      f"{size / 1e6:8.1f} MB", flush=True)
