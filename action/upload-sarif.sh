#!/usr/bin/env bash
# https://docs.github.com/en/rest/code-scanning/code-scanning#upload-an-analysis-as-sarif-data
set -euo pipefail
body="$RUNNER_TEMP/culprit-sarif.json"
{
  printf '{"commit_sha":"%s","ref":"%s","sarif":"' "$GITHUB_SHA" "$GITHUB_REF"
  gzip -c "$SARIF" | base64 | tr -d '\n'
  printf '"}'
} >"$body"
# Who may not upload (a fork, a repository without code scanning) still has annotations and the summary.
gh api --method POST "repos/$GITHUB_REPOSITORY/code-scanning/sarifs" --input "$body" --silent ||
  echo "::warning title=culprit::the SARIF file could not be uploaded: it needs the permission security-events and code scanning"
