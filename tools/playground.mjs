// The page onto which anything can be dropped, as files for a site: `node tools/playground.mjs FOLDER`. The page itself is small; the
// engine and its knowledge lie beside it and are asked for when something was dropped. After `npm run build`.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const out = process.argv[2];
if (out === undefined) {
  console.error("usage: node tools/playground.mjs FOLDER");
  process.exit(2);
}
const built = fileURLToPath(new URL("../packages/cli/dist/", import.meta.url));
const file = (name) => readFileSync(join(built, name), "utf8");
const { dropPage, version } = await import(join(built, "index.mjs"));
mkdirSync(out, { recursive: true });

const script = file("page/drop.js");
const page = await dropPage({
  script,
  scriptHash: `sha256-${createHash("sha256").update(script).digest("base64")}`,
  styles: file("page/drop.css"),
  parts: "beside",
  given: [],
  version,
});
const knowledge = JSON.parse(file("page/drop-knowledge.json"));
const parts = {
  engine: file("page/drop-engine.js"),
  knowledge: JSON.stringify(Object.fromEntries(knowledge.map((name) => [name, file(`knowledge/${name}`)]))),
};
// A script hands its part over: unlike a request, that works from a disk, too.
const files = {
  "index.html": page,
  ...Object.fromEntries(
    Object.entries(parts).map(([name, text]) => [`${name}.js`, `culprit_${name}("${gzipSync(text, { level: 9 }).toString("base64")}")\n`]),
  ),
};
const names = Object.keys(files);
const sum = createHash("sha256").update(Object.values(files).join("\n")).digest("hex").slice(0, 16);
// Whoever was here once has all of it: a later visit needs no network.
files["offline.js"] = `// Keeps the page and its parts, so that a later visit needs no network.
const kept = "culprit-${sum}";
self.addEventListener("install", (event) => event.waitUntil(caches.open(kept).then((cache) => cache.addAll(${JSON.stringify(["./", ...names])})).then(() => self.skipWaiting())));
self.addEventListener("activate", (event) => event.waitUntil(caches.keys().then((names) => Promise.all(names.filter((name) => name.startsWith("culprit-") && name !== kept).map((name) => caches.delete(name))))));
self.addEventListener("fetch", (event) => event.respondWith(caches.match(event.request).then((found) => found ?? fetch(event.request))));
`;
for (const [name, text] of Object.entries(files)) {
  writeFileSync(join(out, name), text);
  console.log(`${name}  ${text.length.toLocaleString("en-US")} bytes, ${gzipSync(text).length.toLocaleString("en-US")} packed`);
}
