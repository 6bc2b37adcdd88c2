#!/usr/bin/env node
// npm makes the command `culprit-fleet` of this file when it installs, and links only what is there: so it is not made by the build.
import "../dist/main.mjs";
