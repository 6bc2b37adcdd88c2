import { nameOf } from "../lib/path.ts";
import type { Diagnosis } from "../model/explain.ts";
import type { Copy, Inventory } from "../model/inventory.ts";

// What a text leaves open about one object; a list of all copies closes it.
const aboutPlace = new Set<Diagnosis["cause"]>(["library-missing", "library-not-on-path", "library-wrong-version"]);

/**
 * What the machine shows about an object that a program did not find: it is there, or another release of it, or none. The diagnoses about
 * its place become one that says so; a claim of the text that the machine refutes is said to be refuted.
 */
export function settledByCopies<T extends Diagnosis>(diagnoses: T[], inventory: Inventory): T[] {
  // Where programs here get the driver's library, its place is no question.
  const hasDriver = inventory.frameworks.some(({ wouldLoad }) => wouldLoad["libcuda"] !== undefined);
  const names = new Set(diagnoses.flatMap((each) => (aboutPlace.has(each.cause) && isSought(each) ? each.name! : [])));
  if (hasDriver) names.delete("libcuda.so.1");
  return [...names].reduce((all, name) => settled(all, name, inventory), diagnoses);
}

/** Whether a file was not found; where two releases were compared, one was. */
const isSought = ({ name, required }: Diagnosis): boolean =>
  name !== undefined && name.includes(".so.") && (required === undefined || required.includes(".so"));

/** What a finding says about the place of an object, nothing that the text left open about it stands beside. */
export function withoutOpenPlaces<T extends Diagnosis & { findings: string[] }>(diagnoses: T[]): T[] {
  const known = new Set(diagnoses.flatMap(({ cause, name, findings }) => (0 < findings.length && aboutPlace.has(cause) ? name : [])));
  return diagnoses
    .filter(({ cause, name, findings }) => 0 < findings.length || !aboutPlace.has(cause) || !known.has(name))
    .map((each) => (0 < each.findings.length || known.has(each.name) ? without(each) : each));
}

function settled<T extends Diagnosis>(diagnoses: T[], name: string, inventory: Inventory): T[] {
  const isOpen = (each: Diagnosis) => each.name === name && aboutPlace.has(each.cause);
  const open = diagnoses.filter(isOpen);
  const template = open[0]!;
  const copies = inventory.copies.filter(({ library, stub, file }) => library === template.library && !stub && !file.includes("/compat/"));
  const same = copies.filter((copy) => namesOf(copy).includes(name));
  // A file beside which the stem is another is another part of the library.
  const others = copies.filter((copy) => !same.includes(copy) && nameOf(copy.file).startsWith(`${name.split(".so")[0]}.so`));
  const certainty = 0 < inventory.unknown.length ? "likely" : "certain";
  const cause = 0 < same.length ? "library-not-on-path" : 0 < others.length ? "library-wrong-version" : "library-missing";
  const { symptom: _, ...rest } = open.find((each) => each.cause === cause) ?? template;
  const conclusion = {
    ...rest,
    cause,
    certainty: 0 < same.length ? "likely" : certainty,
    found: found(same, others),
    message: message(name, same, others),
    because: [...template.because, ...refuted(template, inventory)],
    machine: [...same, ...others].slice(0, 3).map(placeOf),
    fixes: fixesFor(open, cause, same),
  } as T;
  const beside = diagnoses.filter((each) => !isOpen(each)).map((each) => (each.name === name ? without(each) : each));
  if (0 < copies.length) return [conclusion, ...beside];
  // What is not there at all is of no other release. Of the driver's library the text's own cause says more than that it is missing.
  const left = beside.filter((each) => each.name !== name || !needsCopy.has(each.cause));
  const exposed = left.find((each) => each.name === name && each.cause === "driver-not-exposed");
  if (!exposed) return [conclusion, ...left];
  return [
    { ...exposed, found: conclusion.found, because: [...exposed.because, conclusion.message] },
    ...left.filter((each) => each !== exposed),
  ];
}

/** Causes that cannot be where there is no copy. */
const needsCopy = new Set<Diagnosis["cause"]>(["kernel-module-mismatch", "driver-too-old", "library-shadowed", "stub-library"]);

const namesOf = ({ file, names, soname }: Copy) => [file, ...names, soname ?? ""].map(nameOf);

function without<T extends Diagnosis>(diagnosis: T): T {
  const { symptom: _, ...rest } = diagnosis;
  return rest as T;
}

const found = (same: Copy[], others: Copy[]): string =>
  0 < same.length ? placeOf(same[0]!) : 0 < others.length ? placeOf(others[0]!) : "no copy on this machine";

function message(name: string, same: Copy[], others: Copy[]): string {
  if (0 < same.length) {
    const [first] = same;
    const tool = toolOf(first!.file);
    return tool === undefined
      ? `\`${name}\` is here, in a folder that the program did not search: ${first!.file}`
      : `the only \`${name}\` here belongs to ${tool}, which keeps it for itself: ${first!.file}`;
  }
  if (0 < others.length) return `no \`${name}\` is here; what is here is ${placeOf(others[0]!)}`;
  return `no \`${name}\`, and no other release of it, is on this machine`;
}

const placeOf = ({ file, version }: Copy) => `${file}${version === undefined ? "" : ` (${version})`}`;

/** Programs of NVIDIA that carry libraries of their own, and look into no others' folders. */
const toolOf = (file: string): string | undefined =>
  /nsight-compute|nsight_compute/i.test(file)
    ? "Nsight Compute"
    : /nsight-systems|nsight_systems/i.test(file)
      ? "Nsight Systems"
      : undefined;

// A release of CUDA that the text speaks of, and that is not here.
function refuted({ found: said }: Diagnosis, { toolkits }: Inventory): string[] {
  const cuda = /CUDA (\d{1,2}\.\d{1,2})/.exec(said ?? "")?.[1];
  if (cuda === undefined || toolkits.some(({ version }) => version === cuda || version?.startsWith(`${cuda}.`))) return [];
  const here = toolkits.flatMap(({ version, path }) => (version === undefined ? [] : `CUDA ${version} (${path})`));
  return [
    `the text speaks of CUDA ${cuda}, which is not here${here.length === 0 ? "; no toolkit is" : `: here is ${here.slice(0, 3).join(", ")}`}`,
  ];
}

// A file that is there needs no installing, unless it is a tool's own.
function fixesFor(open: Diagnosis[], cause: Diagnosis["cause"], same: Copy[]): Diagnosis["fixes"] {
  const fixes = (wanted: Diagnosis["cause"]) => open.find((each) => each.cause === wanted)?.fixes ?? [];
  const [first] = same;
  if (first && toolOf(first.file) === undefined) {
    const folder = (first.names.find((each) => each.startsWith("/")) ?? first.file).replace(/\/[^/]*$/, "");
    return [
      {
        fix: `let the loader look in \`${folder}\``,
        safety: "display-only",
        commands: [`export LD_LIBRARY_PATH=${folder}:$LD_LIBRARY_PATH`],
        proof: { removes: [], adds: [] },
      },
    ];
  }
  const install = fixes("library-missing");
  return 0 < install.length ? install : fixes(cause);
}
