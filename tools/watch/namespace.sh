#!/bin/sh
# Runs a program where the loader's cache and its configuration are those of this folder: in a mount namespace of its own, so the machine
# keeps its own. usage: namespace.sh FOLDER PROGRAM…
set -eu
folder=$1
shift
if [ "${WATCH_INSIDE:-}" != yes ]; then WATCH_INSIDE=yes exec unshare --mount --propagation private sh "$0" "$folder" "$@"; fi
unset WATCH_INSIDE
for name in ld.so.cache ld.so.conf; do mount --bind "$folder/$name" "/etc/$name"; done
exec "$@"
