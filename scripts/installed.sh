#!/usr/bin/env bash
# `make install` ends with it: makes the library's bare name known to the loader where this may be done, and says by
# what name it is preloaded.
#   DESTDIR=... scripts/installed.sh /usr/local/lib/libmemtrace.so
set -u
library=$1
[ -z "${DESTDIR:-}" ] || exit 0 # a package in the making, to be unpacked elsewhere
PATH=$PATH:/usr/sbin:/sbin

[ "$(id -u)" != 0 ] || ldconfig
if ldconfig -p | grep -qF "=> $library"; then
    echo "To trace a program:  LD_PRELOAD=libmemtrace.so ./program"
else
    echo "To trace a program:  LD_PRELOAD=$library ./program"
    echo "The bare name libmemtrace.so does not do: the loader knows no $library."
fi
