# One process, two devices, through the shared runtime.
source "$e2e/devices/devices.bash"
program=both
source "$e2e/devices/both.bash"
