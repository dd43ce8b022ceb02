#!/bin/sh
# A program as a person may have it: how far a ball flies that is thrown with a fixed effort, with the drag of the air.
# Called as ./program.sh --mass=0.2 --angle=40 (kilograms, degrees); prints the height at the top and the distance.
for argument; do
    case $argument in
    --mass=*) mass=${argument#*=} ;;
    --angle=*) angle=${argument#*=} ;;
    *) echo "unknown argument: $argument" >&2 && exit 2 ;;
    esac
done

exec awk -v mass="$mass" -v angle="$angle" 'BEGIN {
    radians = angle * atan2(0, -1) / 180
    speed = sqrt(2 * 60 / (mass + 0.1))              # 60 joules move the ball and the hand that throws it
    vx = speed * cos(radians); vy = speed * sin(radians); y = 1.8
    for (dt = 0.001; y > 0; x += vx * dt) {          # drag: half of 1.2 kg/m3, 0.47, a cross-section of 0.004 m2
        drag = 0.5 * 1.2 * 0.47 * 0.004 * sqrt(vx * vx + vy * vy) / mass
        vx -= drag * vx * dt; vy -= (9.81 + drag * vy) * dt; y += vy * dt
        if (y > height) height = y
    }
    print "height=" height
    print "distance=" x
}'
