// culprit from the sources as they are now, but as if every release had been watched: so it says itself what is only possible.
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));
const alias = { "@culprit/core": "./packages/core/src", "@culprit/machine": "./packages/machine/src" };

/** Bundles the command into this folder. */
export async function bundleCommand(folder) {
  const file = `${folder}/culprit.cjs`;
  await build({
    entryPoints: [`${root}packages/cli/src/main.ts`],
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    format: "cjs",
    outfile: file,
    alias,
    logLevel: "error",
    plugins: [
      {
        name: "all-watched",
        setup: ({ onLoad }) =>
          onLoad({ filter: /\/frameworks\/watched\.ts$/ }, () => ({ contents: "export const isWatched = () => true;", loader: "ts" })),
      },
    ],
  });
  return file;
}

/** Which files are GPU libraries, and what frameworks are called. */
export async function bundleKnowledge(folder) {
  const contents = `export { libraryOf } from "./packages/core/src/knowledge/libraries.ts";
    export { frameworkNames } from "./packages/core/src/model/framework-names.generated.ts";
    export { compareDotted } from "./packages/core/src/knowledge/dotted.ts";`;
  const outfile = `${folder}/knowledge.mjs`;
  await build({ stdin: { contents, resolveDir: root, loader: "ts" }, bundle: true, format: "esm", outfile, logLevel: "error" });
  return import(pathToFileURL(outfile).href);
}
