#!/usr/bin/env node
// Starts dist/main.js with the machine code that the build kept for this very Node, and so does every part that it loads later.
// Any other Node, or a code file that does not fit, compiles as usual: nothing but time depends on it.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

const loaded = new Map();

function load(name) {
  const known = loaded.get(name);
  if (known) return known.exports;
  const file = path.join(__dirname, `${name}.js`);
  const kept = path.join(__dirname, `${name}-${process.version}-${process.arch}.code`);
  const source = `(function (exports, require, module, __filename, __dirname) {${fs.readFileSync(file, "utf8")}\n})`;
  const keep = process.env.CULPRIT_KEEP_CODE === name;
  let cachedData;
  try {
    if (!keep) cachedData = fs.readFileSync(kept);
  } catch {
    // No code was kept for this Node.
  }
  // What comes after the start is over in a fraction of a second, a third of which would go into optimising it: V8 is told to wait
  // longer before it does. Nothing but time depends on this number, either; it is one of the Node that the code was kept for.
  if (cachedData && name !== "main") require("node:v8").setFlagsFromString("--interrupt-budget=600000");
  const script = new vm.Script(source, { filename: file, cachedData });
  if (keep) process.once("exit", () => fs.writeFileSync(kept, script.createCachedData()));
  const part = { exports: {} };
  loaded.set(name, part);
  script.runInThisContext()(part.exports, requireIn, part, file, __dirname);
  return part.exports;
}

const requireIn = (name) => (name.startsWith("./") ? load(name.slice(2, -3)) : require(name));

load("main");
