#!/usr/bin/env node
// Starts dist/main.js with the machine code that the build kept for this very Node. Any other Node, or a code file that does
// not fit, compiles as usual: nothing but time depends on it.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

const file = path.join(__dirname, "main.js");
const kept = path.join(__dirname, `main-${process.version}-${process.arch}.code`);
const source = `(function (exports, require, module, __filename, __dirname) {${fs.readFileSync(file, "utf8")}\n})`;
const keep = process.env.CULPRIT_KEEP_CODE === "1";
let cachedData;
try {
  if (!keep) cachedData = fs.readFileSync(kept);
} catch {
  // No code was kept for this Node.
}
const script = new vm.Script(source, { filename: file, cachedData });
script.runInThisContext()(exports, require, module, file, __dirname);
if (keep) process.once("exit", () => fs.writeFileSync(kept, script.createCachedData()));
