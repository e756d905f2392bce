# One process, two devices, through a runtime that is linked in.
source "$e2e/devices/devices.bash"
[ "$DEVICE" = sim ] && program=both-simstatic || program=both-static
source "$e2e/devices/both.bash"
