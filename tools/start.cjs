#!/usr/bin/env node
// Starts the command. Old releases of Node can read this file, too, so that they get a sentence, not a SyntaxError.
"use strict";

if (parseInt(process.versions.node, 10) < 20) {
  console.error(
    "culprit: this is Node " +
      process.versions.node +
      ", and culprit needs Node 20 or newer: install one, or use the stand-alone executable, which needs none",
  );
  process.exitCode = 2;
} else {
  keepCompiled();
  require("./main.js");
}

// Since 22.8 Node can keep what it compiled for the next start. What is kept is run later, so it is kept only where nobody else
// can write (Node's own choice, a folder in /tmp, can be laid out beforehand by anybody); where there is no such place, nothing is kept.
function keepCompiled() {
  var module = require("module");
  if (!module.enableCompileCache || process.env.NODE_DISABLE_COMPILE_CACHE || module.getCompileCacheDir()) return;
  try {
    var folder = ownFolder();
    if (folder !== undefined) module.enableCompileCache(folder);
  } catch {
    // Nothing but time depends on it.
  }
}

// `culprit` in the user's cache; both may be made, their parent must be there.
function ownFolder() {
  var fs = require("fs");
  var path = require("path");
  var us = process.geteuid();
  var given = process.env.XDG_CACHE_HOME;
  if (!given || !path.isAbsolute(given)) {
    var home = process.env.HOME;
    if (!home || !path.isAbsolute(home)) return undefined;
    given = path.join(home, ".cache");
  }
  if (!isOurs(path.dirname(given))) return undefined;
  make(given);
  if (!isOurs(given)) return undefined;
  var folder = path.join(fs.realpathSync(given), "culprit");
  make(folder);
  var found = fs.lstatSync(folder);
  return found.isDirectory() && found.uid === us && (found.mode & 18) === 0 ? folder : undefined;

  function make(wanted) {
    try {
      fs.mkdirSync(wanted, 448);
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
  }

  // Whether only we and the administrator can put something else into the place of this folder or of one above it.
  // (18 is writing by group and others; 512, the sticky bit, keeps them from what is not theirs.)
  function isOurs(place) {
    for (var at = fs.realpathSync(place); ; at = path.dirname(at)) {
      var found = fs.lstatSync(at);
      if (found.uid !== 0 && found.uid !== us) return false;
      if ((found.mode & 18) !== 0 && (found.mode & 512) === 0) return false;
      if (at === path.dirname(at)) return true;
    }
  }
}
