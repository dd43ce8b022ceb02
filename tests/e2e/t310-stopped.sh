#!/bin/bash
# each process of a search that is stopped for a second goes on afterwards as if nothing had been (stops.sh; longer: t306, t307)
exec "$(dirname "$0")/stops.sh" 1
