// The command keeps knowledge in files beside it and reads each when it is first asked for: within the command,
// half a megabyte of text would be scanned at every start. The library, which may run in a browser, carries the texts.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";

/** For a CommonJS bundle in this folder. */
export const knowledgeApart = (folder) => ({
  name: "knowledge-apart",
  setup({ onLoad }) {
    onLoad({ filter: /\/knowledge\/texts\/[^/]+\.generated\.ts$/ }, ({ path }) => {
      const generated = readFileSync(path, "utf8");
      const [, source] = /from (knowledge\/\S+\.json)\./.exec(generated);
      const [, name] = /^export const (\w+) = parsedOnce/m.exec(generated);
      const file = `knowledge/${basename(source)}`;
      mkdirSync(`${folder}/knowledge`, { recursive: true });
      writeFileSync(`${folder}/${file}`, JSON.stringify(JSON.parse(readFileSync(source, "utf8"))));
      const [, subject] = /parsedOnce<\w+>\(\s*"([^"]+)"/.exec(generated);
      const read = `require("node:fs").readFileSync(__dirname + "/${file}", "utf8")`;
      const contents = `import { parsedOnce } from "../parsed-once.ts";\nexport const ${name} = parsedOnce("${subject}", () => ${read});\n`;
      return { loader: "js", contents, resolveDir: dirname(path) };
    });
  },
});
