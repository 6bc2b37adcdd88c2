#!/usr/bin/env bash
# One comment of a pull request, which later runs update.
set -euo pipefail
mark="<!-- culprit -->"
body="$RUNNER_TEMP/culprit-comment.md"
# A comment may have 65,536 characters.
{
  echo "$mark"
  head -c 60000 "$REPORT"
} >"$body"
comments="repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments"
fail() {
  echo "::warning title=culprit::the comment could not be written: it needs the permission pull-requests"
  exit 0
}
old="$(gh api --paginate "$comments" --jq ".[] | select(.body | startswith(\"$mark\")) | .id" | head -n 1)" || fail
if [ -n "$old" ]; then
  gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$old" --field "body=@$body" --silent || fail
elif [ "$EXIT_CODE" != 0 ]; then
  # Where nothing was ever wrong, nobody needs to hear of it.
  gh api --method POST "$comments" --field "body=@$body" --silent || fail
fi
