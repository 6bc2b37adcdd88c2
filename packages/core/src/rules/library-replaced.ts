import { compareDotted } from "../knowledge/dotted.ts";
import { nameOf } from "../lib/path.ts";
import { countedApart, type Copy } from "../model/inventory.ts";
import type { Draft } from "../model/finding.ts";
import { copyFact, reinstalling } from "../diagnose/facts.ts";
import { defineMachineRule } from "./rule.ts";
import type { Stack } from "../diagnose/stack.ts";
import { reinstallAdvice } from "../diagnose/words.ts";

export default defineMachineRule({
  id: "library-replaced",
  title: "A file in a wheel's folder is of another release than the wheel",
  cause: "library-wrong-version",
  severity: "error",
  notOn: { "dependency-file": "whether a file is that of its wheel is seen on the disk only" },
  page: {
    what: "A library lies where an NVIDIA wheel put it, but the version inside is not that of the wheel.",
    why: "Somebody copied or linked another release over it, to try something or to end an error. What pip lists is then not what runs, and parts that belong together (cuBLAS and cuBLASLt, cuDNN and its engines) are of two releases.",
    how: "The constant in the library's own version function is compared with the version of the package that owns the file. Packages that overwrite each other have a rule of their own.",
    fix: "Install that very version of the package again: `pip install --force-reinstall --no-deps NAME==VERSION`.",
    observed: "With cuBLASLt 12.1 in the place of 12.4 in torch's environment: the import works, so nothing says a word.",
  },
  blames(stack, stop) {
    const failed = stop.failure.underlying ?? stop.failure;
    const files = new Set([failed.file, stop.failure.file]);
    const copy = replaced(stack).find(({ file }) => files.has(file));
    if (!copy) return undefined;
    return { ...draftOf(stack, copy), specificity: 4 };
  },
  finds: (stack) =>
    replaced(stack).flatMap((copy) => {
      const users = stack.runs.flatMap((run) => {
        const load = run.loads.loads.find(({ file, unmapped }) => file === copy.file && !unmapped);
        return load ? run.programs.map(({ id }) => ({ framework: id, activity: load.activity })) : [];
      });
      return [{ ...draftOf(stack, copy), severity: users.length === 0 ? ("info" as const) : ("warning" as const), endangers: users }];
    }),
});

/** What the file says, and what its wheel says. */
const versionsOf = ({ evidence }: Copy) => ({
  own: evidence.find(({ how }) => how === "constant")?.version,
  packaged: evidence.find(({ how }) => how === "owner")?.version,
});

// A library says fewer parts than its wheel: 12.4.5 of 12.4.5.8.
function replaced({ inventory, sharedFiles }: Stack): Copy[] {
  const shared = new Set(sharedFiles.map(({ file }) => file));
  return inventory.copies.filter((copy) => {
    const { own, packaged } = versionsOf(copy);
    if (countedApart.has(copy.library) || copy.owner?.kind !== "pip" || !copy.owner.name.startsWith("nvidia-") || shared.has(copy.file))
      return false;
    if (own === undefined || packaged === undefined || !/^\d+(\.\d+)+$/.test(own) || !/^\d+(\.\d+)+$/.test(packaged)) return false;
    const length = Math.min(own.split(".").length, packaged.split(".").length);
    const cut = (version: string) => version.split(".").slice(0, length).join(".");
    return compareDotted(cut(own), cut(packaged)) !== 0;
  });
}

function draftOf(stack: Stack, copy: Copy): Draft {
  const { own } = versionsOf(copy);
  const { name, version } = copy.owner!;
  return {
    subject: copy.file,
    short: `${nameOf(copy.file)} is ${own}, not of ${name} ${version}`,
    message: `${copy.file} is ${nameOf(copy.file).split(".so")[0]} ${own}, though the wheel ${name} ${version} put it there`,
    because: ["the file was replaced after the installation; pip does not notice"],
    evidence: copy.evidence.map(({ how, version: found, source }) => `${found} by ${how === "owner" ? source : `its ${how} (${source})`}`),
    advice: [reinstallAdvice(stack, copy.file)!],
    facts: { copies: [copyFact(copy, "other")], packages: reinstalling(stack, copy.file) },
  };
}
