// Says in one sentence that this Node is too old to build with. Old releases of Node can read this file.
"use strict";

if (parseInt(process.versions.node, 10) < 20) {
  console.error("culprit: this is Node " + process.versions.node + ", and building culprit needs Node 20 or newer: install one");
  process.exitCode = 2;
}
