#!/bin/bash
# the controller is asked at most once in ten seconds, whatever the number of trials and of those who look
. "$(dirname "$0")/rpcs.sh" 1500 0.1
