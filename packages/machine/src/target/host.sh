# shellcheck shell=sh disable=SC2046,SC2086,SC2154
# (words are split on purpose; `step` is set by `further`)
# Everything that is run over there (host.ts). POSIX shell, and of programs only stat, readlink, dd, id, cat, and od where there is one: busybox
# will do. Lines that begin with # are not sent.
#
# An error is told by its code, in the place where a file begins with its size. `trail` goes along the way to a folder and on to names in it,
# follows every link, and tells what `look` would of each step and `names` of each folder at an end; where a name led to is then in end1, end2
# and so on. /proc/self is the shell, not whoever is asked where it leads. `further`, which `heads` calls, comes with the question.
LC_ALL=C; export LC_ALL; unset CDPATH ENV
missing() {
  parent=${1%/*}; parent=${parent:-/}
  if [ ! -d "$parent" ]; then
    if [ -e "$parent" ]; then printf ENOTDIR; elif reachable "$parent"; then printf ENOENT; else printf EACCES; fi
  elif [ ! -x "$parent" ]; then printf EACCES
  else printf ENOENT; fi
}
reachable() { above=${1%/*}; while [ -n "$above" ] && [ ! -e "$above" ]; do above=${above%/*}; done; [ -x "${above:-/}" ]; }
leads() { if [ "$1" = /proc/self ]; then printf '%s' "$$"; else readlink -n -- "$1"; fi; }
look() {
  stat -c '%f %s %d:%i %u %g %n' -- "$@" 2>/dev/null
  printf '\0'
  for path; do
    if [ -L "$path" ]; then leads "$path"; elif [ ! -e "$path" ]; then missing "$path"; fi
    printf '\0'
  done
}
names() {
  if [ -L "$1" ] || [ ! -d "$1" ]; then if [ -e "$1" ] || [ -L "$1" ]; then printf ENOTDIR; else missing "$1"; fi
  elif [ ! -r "$1" ]; then printf EACCES
  else
    printf .
    for path in "$1"/* "$1"/.[!.]* "$1"/..?*; do
      case $path in "$1/*" | "$1/.[!.]*" | "$1/..?*") [ -e "$path" ] || [ -L "$path" ] || continue ;; esac
      printf '\0%s' "${path##*/}"
    done
  fi
}
blocks() { dd if="$1" bs=4096 skip="$2" count="$3" 2>/dev/null; }
begin() {
  if [ -L "$1" ]; then printf ELOOP
  elif [ ! -e "$1" ]; then missing "$1"
  elif [ -d "$1" ]; then printf EISDIR
  elif [ ! -f "$1" ]; then printf ENXIO
  elif [ ! -r "$1" ]; then printf EACCES
  else
    size=$(stat -c '%s' -- "$1") || return
    echo "$size"
    blocks "$1" 0 "$2"
    from=$((((size + 4095) / 4096 - $3) / 4 * 4))
    if [ "$from" -lt "$2" ]; then from=$2; fi
    if [ "$3" -gt 0 ] && [ $((from * 4096)) -lt "$size" ]; then blocks "$1" "$from" $(($3 + 4)); fi
  fi
}
trail() {
  way=$1 number=0; shift
  for name in '' "$@"; do
    if [ -z "$name" ]; then set --; here='' rest=$way
    elif [ -d "$folder/" ]; then here=$folder rest=$name number=$((number + 1))
    else here=$folder/$name rest='' number=$((number + 1)); fi
    links=0
    while [ -n "$rest" ]; do
      part=${rest%%/*}
      case $rest in */*) rest=${rest#*/} ;; *) rest= ;; esac
      case $part in '' | .) continue ;; ..) here=${here%/*}; continue ;; esac
      here=$here/$part
      set -- "$@" "$here"
      if [ -L "$here" ]; then
        links=$((links + 1))
        if [ "$links" -gt 40 ]; then break; fi
        to=$(leads "$here"; echo .); to=${to%.}
        case $to in /*) here= ;; *) here=${here%/*} ;; esac
        rest=$to/$rest
      elif [ ! -d "$here" ]; then break; fi
    done
    if [ -z "$name" ]; then folder=$here; else eval "end$number=\$here"; fi
  done
  if [ $# -gt 0 ]; then printf '%s\0' "$@"; fi
  printf '\0'
  while [ "$number" -gt 0 ]; do
    eval "here=\$end$number" number=$((number - 1))
    if [ -d "$here/" ]; then printf '%s\0' "${here:-/}"; names "${here:-/}"; printf '\0\0'; fi
  done
  printf '\0'
  look "$@"
}
heads() {
  at=$2 left=4096
  while [ "$at" -lt "$3" ] && [ "$left" -gt 0 ]; do
    head=$(od -A n -v -t u1 -j "$at" -N 64 "$1")
    echo "$at" $head
    further $head
    if [ "$step" -le 0 ]; then break; fi
    at=$((at + step)) left=$((left - 1))
  done
}
process() { echo "$(id -u) $(id -g)"; pwd; cat "/proc/$$/environ"; }
able() {
  stat -c '%f' / && for program in readlink dd id cat; do command -v "$program" >/dev/null || echo "no $program"; done
  set -- $(printf AB | od -A n -v -t u1 -j 1 -N 1 2>/dev/null)
  if [ "$1" = 66 ]; then echo od; fi
}
