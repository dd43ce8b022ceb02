#!/bin/bash
# kill -9 of any part at any moment leaves an exact record (kills.sh, a few rounds)
exec "$(dirname "$0")/kills.sh" 6
