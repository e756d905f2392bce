#!/usr/bin/env bash
# Runs `make test` in bare Debian systems: what a user of an old or a new one has, and nothing else. Then the programs
# built on the first system named run on the others. Needs root, debootstrap, Debian's packages, and 4 GiB a system.
#   tests/systems.sh [SUITE...]      bullseye bookworm trixie unless named, the oldest first
# Debian 11 stands for Ubuntu 20.04, which has glibc 2.31 too. The systems lie in SYSTEMS and are kept.
set -u
cd "$(dirname "$0")/.." || exit 1
systems=${SYSTEMS:-/var/tmp/memtrace-systems}
mirror=${MIRROR:-http://deb.debian.org/debian}
cuda=$(realpath "${CUDA:-/usr/local/cuda}")
suites=("$@")
[ ${#suites[@]} != 0 ] || suites=(bullseye bookworm trixie)

command -v debootstrap >/dev/null || { echo "systems: no debootstrap: apt-get install debootstrap" >&2 && exit 1; }
# In a mount namespace of its own, so that nothing stays mounted.
[ -n "${SYSTEMS_UNSHARED:-}" ] || SYSTEMS_UNSHARED=1 exec unshare --mount --propagation private "$0" "$@"

# inside SUITE COMMAND: runs a shell command there, in the source folder, with nothing of this environment.
inside() {
    chroot "$systems/$1" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
        bash -c "cd /src && $2"
}

# A bare system with the source as it is here, the toolkit, and the two packages that the README names.
prepare() {
    local root=$systems/$1
    if [ ! -e "$root/complete" ]; then
        rm -rf "$root" && mkdir -p "$systems" && debootstrap --variant=minbase "$1" "$root" "$mirror" >"$root.log" 2>&1 &&
            : >"$root/complete" || return 1
    fi
    mkdir -p "$root/usr/local/cuda" "$root/src" && cp /etc/resolv.conf "$root/etc/resolv.conf" || return 1
    mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && mount -t sysfs sysfs "$root/sys" &&
        mount --bind "$cuda" "$root/usr/local/cuda" || return 1
    find "$root/src" -mindepth 1 -maxdepth 1 ! -name 'build*' -exec rm -rf {} + # sources that are no more
    git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C "$root/src" || return 1
    inside "$1" 'apt-get update -qq && apt-get install -y -qq --no-install-recommends make git' >>"$root.log" 2>&1
}

status=0
for suite in "${suites[@]}"; do
    prepare "$suite" || { echo "$suite: cannot be prepared: see $systems/$suite.log" && status=1 && continue; }
    inside "$suite" "make -j$(nproc) test" >"$systems/$suite.test.log" 2>&1 || status=1
    printf '%-10s %s\n' "$suite" "$(tail -n 1 "$systems/$suite.test.log")"
done

oldest=${suites[0]}
for suite in "${suites[@]:1}"; do
    rm -rf "$systems/$suite/src/build-$oldest" && cp -a "$systems/$oldest/src/build" "$systems/$suite/src/build-$oldest" &&
        inside "$suite" "O=build-$oldest tests/run.sh e2e" >"$systems/$suite.$oldest.log" 2>&1 || status=1
    printf '%-10s %s, as built on %s\n' "$suite" "$(tail -n 1 "$systems/$suite.$oldest.log")" "$oldest"
done
exit $status
