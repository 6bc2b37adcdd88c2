import type { Facts } from "./fact.ts";

const install = /^(?<pip>(?:%|python3? -m )?pip3?) (?<rest>(?:un)?install\b.*)$/;
const names = /(?<=\s|")torch(?=[\s"=<>!~]|$)/;

/**
 * A line for pip as the text's own environment needs it: what is built for PyTorch and stands beside it in the text goes with it, since one
 * without the other does not load; and where the text shows a Python that a program brought along, it is that one's pip.
 */
export function forItsPython(line: string, facts: Facts): string {
  const { pip, rest } = install.exec(line)?.groups ?? {};
  if (pip === undefined || rest === undefined) return line;
  return `${embeddedPip(facts) ?? ownPip(facts) ?? pip} ${withCompanions(rest, facts)}`;
}

function withCompanions(rest: string, facts: Facts): string {
  if (!names.test(rest) || rest.includes("--no-deps") || rest.includes("-r ")) return rest;
  const beside = ["torchvision", "torchaudio"].filter((name) => !rest.includes(name) && isNamed(name, facts));
  // Behind the last thing that is asked for, and before the options that follow it.
  return beside.reduce((said, name) => said.replace(/(?<=\s)(?<torch>"?torch(?:[=<>!~][^\s"]*)?"?)(?=\s|$)/, `$<torch> ${name}`), rest);
}

const isNamed = (name: string, facts: Facts): boolean =>
  facts.all("package").some((each) => each.name === name) ||
  facts.all("traceback").some((each) => each.package === name) ||
  facts
    .everything()
    .some(({ at }) => new RegExp(`(?<![\\w/.-])${name}(?: {1,20}|==)\\d|\\binstall\\b[^\\n]{0,80} ${name}(?![\\w-])`).test(at.text));

// ComfyUI's and others' portable builds for Windows have a Python of their own, which no pip on PATH knows.
function embeddedPip(facts: Facts): string | undefined {
  const found = facts
    .everything()
    .map(({ at }) => /(?<=[\\/"'\s]|^)(?<folder>python_embed(?:ed|ded))[\\/]/i.exec(at.text)?.groups?.["folder"])
    .find((each) => each !== undefined);
  return found === undefined ? undefined : `.\\${found}\\python.exe -m pip`;
}

// Programs that make a folder `venv` beside their scripts, and run only what is installed there.
function ownPip(facts: Facts): string | undefined {
  const told = facts.notices("own-venv");
  if (told.length === 0) return undefined;
  const windows = facts.on("windows") || told.some(({ found }) => found === "windows");
  return windows ? ".\\venv\\Scripts\\python.exe -m pip" : "./venv/bin/python -m pip";
}
