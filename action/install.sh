#!/usr/bin/env bash
# Installs the release that was asked for, unless the cache has brought it.
set -euo pipefail
folder="$RUNNER_TEMP/culprit-package"
if ! "$folder/node_modules/.bin/culprit" --version >/dev/null 2>&1; then
  rm -rf "$folder"
  npm install --silent --ignore-scripts --no-audit --no-fund --prefix "$folder" "culprit@$VERSION"
fi
"$folder/node_modules/.bin/culprit" --version
