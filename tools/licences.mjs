// The texts of the licences of all that was bundled, as the bundler says what that was.
import { readFileSync, readdirSync } from "node:fs";

/** The folders of the npm packages that these bundles have code of, sorted. */
export function bundledPackages(metafiles) {
  const inputs = metafiles.flatMap(({ inputs, outputs }) =>
    // An input of which nothing is left in any output is not shipped.
    Object.keys(inputs).filter((input) => Object.values(outputs).some((output) => 0 < (output.inputs[input]?.bytesInOutput ?? 0))),
  );
  const folders = inputs.flatMap((input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0] ?? []);
  // By name: where the modules lie behind a link, one package may come by two paths.
  const byName = new Map(folders.map((folder) => [folder.replace(/^.*node_modules\//, ""), folder]));
  return [...byName.keys()].sort().map((name) => byName.get(name));
}

/** One text; a package that brings no licence stops the build. */
export function licences(folders) {
  const parts = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    const files = readdirSync(folder)
      .filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file))
      .sort();
    if (files.length === 0 || !license) throw new Error(`${folder} brings no text of its licence, so nothing of it may be shipped`);
    const texts = files.map((file) => readFileSync(`${folder}/${file}`, "utf8").replaceAll("\r\n", "\n").trim());
    return `${name} ${version} (${license})\n\n${texts.join("\n\n")}\n`;
  });
  return ["culprit contains code of these packages.\n", ...parts].join(`\n${"-".repeat(80)}\n\n`);
}
