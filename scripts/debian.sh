#!/usr/bin/env bash
# Unpacks packages of a Debian release, with what is named alone, into a folder of their own. apt-get checks their
# signatures and keeps its lists in that folder too: nothing of this system is changed.
#   scripts/debian.sh SUITE ARCHITECTURE FOLDER PACKAGE... [-- PATTERN...]      PATTERN: only these files, as of tar
# Done once: the folder is complete when it has the file .complete. Exits 1, with one line, where it cannot.
set -u
suite=$1 architecture=$2 folder=$3
shift 3
packages=() patterns=()
while [ $# != 0 ] && [ "$1" != -- ]; do packages+=("$1") && shift; done
[ $# = 0 ] || { shift && patterns=(--wildcards "$@"); }
mirror=${MIRROR:-http://deb.debian.org/debian}
keys=/usr/share/keyrings/debian-archive-keyring.gpg

[ ! -e "$folder/.complete" ] || exit 0
give_up() {
    echo "debian: no ${packages[*]} of $suite for $architecture: $1" >&2
    rm -rf "$folder"
    exit 1
}
command -v apt-get >/dev/null || give_up "no apt-get here"
[ -e $keys ] || give_up "no $keys here"
rm -rf "$folder"
mkdir -p "$folder/.apt/state/lists/partial" "$folder/.apt/cache/archives/partial" || exit 1
folder=$(realpath "$folder")
apt=$folder/.apt

echo "deb [signed-by=$keys] $mirror $suite main contrib non-free" >"$apt/sources.list"
: >"$apt/status"
cat >"$apt/apt.conf" <<END
Dir::State "$apt/state";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
APT::Sandbox::User "root";
END
export APT_CONFIG=$apt/apt.conf
apt-get update -qq >"$apt/log" 2>&1 && ! grep -q 'Failed to fetch' "$apt/log" || give_up "no way to $mirror"
(cd "$apt" && apt-get download -qq "${packages[@]}") >"$apt/log" 2>&1 || give_up "$(grep -m 1 '^E:' "$apt/log")"
for package in "$apt"/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$folder" "${patterns[@]}" || give_up "$package is damaged"
done
rm -rf "$apt"
: >"$folder/.complete"
