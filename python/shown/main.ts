// An answer that came from `--json`, in words: read from standard input with the question, printed as text, HTML and Markdown in one document.
import fs from "node:fs";
import { shown, type Wanted } from "./shown.ts";

process.stdout.write(JSON.stringify(shown(JSON.parse(fs.readFileSync(0, "utf8")) as Wanted)));
