import type { Snapshot } from "../model/snapshot.ts";

/**
 * Takes people, hosts and secrets out of a snapshot. Names are replaced everywhere alike and never onto a name that is in use,
 * so every answer that the snapshot gives stays the same but for those names.
 */
export function redactSnapshot(snapshot: Snapshot): Snapshot {
  const secretless = {
    ...snapshot,
    // Where the facts were read from says nothing about the target.
    target: { kind: snapshot.target.kind },
    environment: Object.fromEntries(Object.entries(snapshot.environment).map(([name, value]) => [name, withoutSecrets(name, value)])),
  };
  const text = JSON.stringify(secretless);
  const rename = renaming(peopleIn(secretless), text);
  return { ...(mapTexts(secretless, (value) => rename(value).replace(serialNumber, "GPU-(redacted)")) as Snapshot), redacted: true };
}

/** Names that are known beforehand to belong to a person or to a machine. */
export interface PrivateNames {
  people?: string[];
  hosts?: string[];
}

/**
 * Does the same to an answer, which holds sentences besides paths: a name is replaced where it is part of a path, or behind `@` and `=`,
 * but not where it is a word of the sentence.
 */
export function redactAnswer<T>(answer: T, variables: { [name: string]: string } = {}, known: PrivateNames = {}): T {
  const texts = textsIn([answer, variables]);
  const { HOME = "/", USER = "", LOGNAME = "", HOSTNAME = "" } = variables;
  const home = /\/(?:home|Users)\/([^/:\s"'`()<>,;]+)/g;
  const people = [
    ...texts.flatMap((text) => [...text.matchAll(home)].map(([, name]) => name!.replace(/(?<!\.)\.+$/, ""))),
    ...(HOME === "/root" ? [] : HOME.split("/").slice(-1)),
    USER,
    LOGNAME,
    ...(known.people ?? []),
  ];
  const all = texts.join("\n");
  const names = new Map([
    ...replacements(privateAmong(people), "user", all),
    ...replacements(privateAmong([HOSTNAME, ...(known.hosts ?? [])]), "host", all),
  ]);
  const after = "(?=$|[/:;,\\s@\"'`).\\]>])";
  const rename = replacing(
    names,
    (anywhere, atHome) => `(?:(?<=[/@=~])(?:${anywhere})|(?<=/(?:home|Users)/)(?:${atHome}))${after}|\\b(?:${anywhere})(?=@)`,
  );
  return mapTexts(answer, (text) =>
    secretForms.reduce((rest, form) => rest.replace(form, "(redacted)"), rename(text)).replace(serialNumber, "GPU-(redacted)"),
  ) as T;
}

const privateAmong = (names: string[]) => [...new Set(names)].filter((name) => 1 < name.length && !ordinary.has(name)).sort();

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [...(key.startsWith("/") ? [key] : []), ...textsIn(item)]);
}

// A GPU's own number tells one machine from all others.
const serialNumber = /\bGPU-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;

/** Folder names that are no names of people, whatever /home says; renaming them would change what the loader does. */
const ordinary = new Set([
  "root",
  "lib",
  "lib64",
  "usr",
  "bin",
  "etc",
  "home",
  "opt",
  "var",
  "tmp",
  "proc",
  "sys",
  "dev",
  "run",
  "srv",
  "mnt",
  "data",
  "conda",
  "cuda",
  "local",
  "share",
]);

/** A person may be called like a package; such a name is only replaced where it names a home folder. */
const software = new Set([
  "torch",
  "tensorflow",
  "jax",
  "jaxlib",
  "cupy",
  "nvidia",
  "triton",
  "numba",
  "onnxruntime",
  "pycuda",
  "python",
  "python3",
  "keras",
  "site-packages",
  "dist-packages",
]);

function peopleIn({ files, environment, cwd }: Snapshot): string[] {
  const names = new Set<string>();
  const add = (name: string | undefined) => {
    if (name && !ordinary.has(name) && 1 < name.length) names.add(name);
  };
  const homes = /(?:^|[:=\s])\/(?:home|Users|export\/home)\/([^/:\s]+)/g;
  for (const path of [...Object.keys(files), cwd, ...Object.values(environment)]) for (const [, name] of path.matchAll(homes)) add(name);
  const home = environment["HOME"];
  if (home && home !== "/" && home !== "/root") add(home.split("/").findLast((part) => part !== ""));
  return [...names].sort();
}

function renaming(people: string[], text: string): (value: string) => string {
  return replacing(
    replacements(people, "user", text),
    (names, homes) => `(?:(?<=^|[/:=\\s@])(?:${names})|(?<=/(?:home|Users)/)(?:${homes}))(?=$|[/:;\\s@])`,
  );
}

/** A new name for each, none of which is in use. */
function replacements(names: string[], kind: string, text: string): Map<string, string> {
  let number = 0;
  return new Map(
    names.map((name) => {
      do number += 1;
      while (text.includes(`${kind}-${number}`));
      return [name, `${kind}-${number}`];
    }),
  );
}

function replacing(names: Map<string, string>, pattern: (anywhere: string, atHome: string) => string): (value: string) => string {
  if (names.size === 0) return (value) => value;
  const choice = (some: string[]) =>
    some.length === 0 ? "(?!)" : some.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  const anywhere = choice([...names.keys()].filter((name) => !software.has(name)));
  const atHome = choice([...names.keys()].filter((name) => software.has(name)));
  const whole = new RegExp(pattern(anywhere, atHome), "g");
  return (value) => value.replace(whole, (name) => names.get(name)!);
}

// Names of variables that hold secrets, and how well-known secrets look.
const secretName = /TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE/i;
const secretForms = [
  /\b(?:hf_|ghp_|gho_|ghs_|github_pat_|glpat-|sk-|xox[abprs]-|pypi-)[A-Za-z0-9_-]{8,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g,
  /(?<=\/\/)[^/\s:@]+:[^/\s@]+(?=@)/g,
];

function withoutSecrets(name: string, value: string): string {
  if (secretName.test(name)) return "(redacted)";
  return secretForms.reduce((text, form) => text.replace(form, "(redacted)"), value);
}

// Keys are paths in `files` and names elsewhere: both may carry a person's name.
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.startsWith("/") ? change(key) : key, mapTexts(item, change)]));
}
