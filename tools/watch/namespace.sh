#!/bin/sh
# Runs a program where the loader's cache and its configuration are those of this folder, and /dev has a GPU (JAX looks there first): in a
# mount namespace of its own, so the machine keeps its own. usage: namespace.sh FOLDER PROGRAM…
set -eu
folder=$1
shift
if [ "${WATCH_INSIDE:-}" != yes ]; then WATCH_INSIDE=yes exec unshare --mount --propagation private sh "$0" "$folder" "$@"; fi
unset WATCH_INSIDE
for name in ld.so.cache ld.so.conf; do mount --bind "$folder/$name" "/etc/$name"; done
dev=$folder/dev
mkdir -p "$dev"
mount -t tmpfs none "$dev"
for name in null zero full random urandom tty; do : > "$dev/$name"; mount --bind "/dev/$name" "$dev/$name"; done
mkdir "$dev/shm"
mount --bind /dev/shm "$dev/shm"
ln -s /proc/self/fd "$dev/fd"
: > "$dev/nvidia0"
: > "$dev/nvidiactl"
mount --rbind "$dev" /dev
exec "$@"
