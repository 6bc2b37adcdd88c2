import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { build, type Plugin } from "esbuild";
import { causes } from "../../packages/core/src/model/cause.ts";

const log = path.resolve("packages/core/src/log");

/** One place in the sources of `explain` that names a cause. */
export interface NamedCause {
  file: string;
  at: number;
  cause: string;
}

/** Every cause that a step or a row names. */
export function namedCauses(): NamedCause[] {
  return ["causes", "messages"].flatMap((folder) =>
    readdirSync(path.join(log, folder)).flatMap((name) => {
      const file = path.join(log, folder, name);
      return [...readFileSync(file, "utf8").matchAll(/\bcause: "(?<cause>[\w-]+)"/g)].map(({ index, groups }) => ({
        file,
        at: index,
        cause: groups!["cause"]!,
      }));
    }),
  );
}

const rowsOnly: Plugin = {
  name: "rows of tables",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /holds\.ts$/ }, () => ({ path: "holds", namespace: "rows" }));
    onResolve({ filter: /^vitest$/ }, () => ({ path: "vitest", namespace: "rows" }));
    onLoad({ filter: /^holds$/, namespace: "rows" }, () => ({
      contents: "export const holds = (step, rows) => { globalThis.heldRows.push(...rows.map((row) => [step, ...row])); };",
    }));
    onLoad({ filter: /^vitest$/, namespace: "rows" }, () => ({
      contents: "export const test = Object.assign(() => {}, { each: () => () => {} }); export const expect = () => {};",
    }));
  },
};

/** Whether the tables of `tests/log/causes` notice that this cause is another. */
export async function isNoticed({ file, at, cause }: NamedCause): Promise<boolean> {
  const other = causes[(causes.indexOf(cause as (typeof causes)[number]) + 7) % causes.length]!;
  const wrong: Plugin = {
    name: "one cause set wrong",
    setup({ onLoad }) {
      onLoad({ filter: new RegExp(`${path.basename(path.dirname(file))}/${path.basename(file).replaceAll(".", "\\.")}$`) }, () => {
        const source = readFileSync(file, "utf8");
        return { contents: source.slice(0, at) + source.slice(at).replace(cause, other), loader: "ts" as const };
      });
    },
  };
  const tables = readdirSync("tests/log/causes").filter((name) => name.endsWith(".test.ts"));
  const { outputFiles } = await build({
    stdin: {
      contents: `${tables.map((name) => `import "./tests/log/causes/${name}";`).join("\n")}
        export { logReader } from "./packages/core/src/log/read.ts";
        export { factsOf } from "./packages/core/src/log/fact.ts";
        export { contextOf } from "./packages/core/src/log/context.ts";`,
      resolveDir: process.cwd(),
      loader: "ts",
    },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    logLevel: "error",
    plugins: [wrong, rowsOnly],
  });
  const held: [step: (facts: unknown, context: unknown) => { suspects: { cause: string }[] }[], causes: string, text: string][] = [];
  Object.assign(globalThis, { heldRows: held });
  const { logReader, factsOf, contextOf } = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0]!.text).toString("base64")}`
  );
  return held.some(([step, wanted, text]) => {
    const reader = logReader();
    reader.push(new TextEncoder().encode(text));
    const facts = factsOf(reader.end().facts);
    const said = step(facts, contextOf(facts)).map(({ suspects }) => suspects.map((suspect) => suspect.cause).join(" > "));
    return !said.includes(wanted);
  });
}
