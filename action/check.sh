#!/usr/bin/env bash
# Checks what the inputs name and explains a log. Says what came of it as outputs; the last step of the action makes the job fail.
set -euo pipefail

culprit() { "${COMMAND:-$RUNNER_TEMP/culprit-package/node_modules/.bin/culprit}" "$@"; }
# The lines of an input, without blanks around them.
lines() { printf '%s\n' "$1" | sed -e 's/^[[:space:]]*//' -e 's/[[:space:]]*$//' -e '/^$/d'; }

mapfile -t wanted < <(lines "$TARGETS")
mapfile -t gpus < <(lines "$GPU")
options=("--fail-on=$FAIL_ON")
machine=()
if [ -n "$DRIVER" ]; then machine+=("--driver=$DRIVER"); fi
for gpu in "${gpus[@]}"; do machine+=("--gpu=$gpu"); done
options+=("${machine[@]}")
if [ -n "$PYTHON_VERSION" ]; then options+=("--python-version=$PYTHON_VERSION"); fi

report="$RUNNER_TEMP/culprit.md"
: >"$report"
code=0
sarif=""
if [ "${#wanted[@]}" -gt 0 ]; then
  culprit check "${options[@]}" --markdown -- "${wanted[@]}" >"$report" || code=$?
  # 2: culprit could not do it, and has said why.
  if [ "$code" -gt 1 ]; then exit "$code"; fi
  if [ "$ANNOTATIONS" = true ]; then culprit check "${options[@]}" --format=github -- "${wanted[@]}" || [ $? = 1 ]; fi
  if [ -n "$SARIF" ] || [ "$UPLOAD_SARIF" = true ]; then
    sarif="${SARIF:-$RUNNER_TEMP/culprit.sarif}"
    culprit check "${options[@]}" --sarif -- "${wanted[@]}" >"$sarif" || [ $? = 1 ]
  fi
fi
if [ -n "$LOG" ]; then
  {
    printf '\n### What the log says\n\n'
    # Indented, it is text, whatever stands in it.
    culprit explain "${machine[@]}" -- "$LOG" | sed 's/^/    /'
  } >>"$report"
fi
# A summary may have one mebibyte.
if [ "$SUMMARY" = true ]; then head -c 1000000 "$report" >>"$GITHUB_STEP_SUMMARY"; fi
{
  echo "exit-code=$code"
  echo "report=$report"
  echo "sarif=$sarif"
} >>"$GITHUB_OUTPUT"
