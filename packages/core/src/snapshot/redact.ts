import { factsIn, filesOf } from "../model/overlay.ts";
import { withoutSecrets, isSecretName, replaceSecrets } from "../lib/secrets.ts";
import { reducedSources } from "../lib/shell-lines.ts";
import { mapTexts } from "../lib/visible.ts";
import type { Inventory } from "../model/inventory.ts";
import { createWalker } from "../lib/walk.ts";
import type { FileFact, Snapshot } from "../model/snapshot.ts";
import { isOrdinary, isSoftware, peopleInPaths, peopleInPasswd } from "./people.ts";
import { withoutOtherLines } from "./startup.ts";
import { allNames } from "../model/frameworks.ts";

/** Files that say who and where this is. They are asked for only to know which names to take out, and never stay. */
export const namingFiles = ["/etc/passwd", "/etc/hostname", "/proc/sys/kernel/hostname"];

/** Names that are known beforehand to belong to a person or to a machine. */
export interface PrivateNames {
  people?: string[];
  hosts?: string[];
}

/**
 * Takes people, hosts and secrets out of a snapshot. Names are replaced everywhere alike and never onto a name that is in use,
 * so every answer that the snapshot gives stays the same but for those names.
 */
export function redactSnapshot(snapshot: Snapshot, known: PrivateNames = {}): Snapshot {
  const named = privateNamesIn(snapshot);
  const files = filesOf(snapshot);
  for (const path of namingFiles) delete files[realPath(snapshot, path) ?? path];
  const lean = withoutOtherLines({
    ...snapshot,
    files,
    // Where the facts were read from says nothing about the target.
    target: { kind: snapshot.target.kind },
    environment: Object.fromEntries(
      Object.entries(snapshot.environment)
        .filter(([name]) => !isIdentity.test(name))
        .map(([name, value]) => [name, isSecretName(name) && value !== "" ? "(redacted)" : value]),
    ),
  });
  const texts = textsIn(lean);
  // Of a folder of homes every name counts, though nothing else is known of most.
  const listed = factsIn({ files }).flatMap(([path, fact]) =>
    fact.kind === "folder" && fact.names ? fact.names.map((name) => `${path}/${name}`) : [],
  );
  const people = [...named.people, ...(known.people ?? []), ...peopleInPaths([...texts, ...listed]), ...homesOf(snapshot.environment)];
  const hosts = [...named.hosts, ...(known.hosts ?? []), ...hostsOf(snapshot.environment)];
  const change = changing(texts, people, hosts, "(?<=^|[/:=\\s@,;\"'(~])", "(?=$|[/:;,\\s@\"')]|\\.so\\b)");
  const { environment, ...facts } = lean;
  return { ...(mapFacts(facts, change) as Omit<Snapshot, "environment">), environment: mapTexts(environment, change), redacted: true };
}

// Words of the format, and names of symbols: a person may be called like one of them, but is not meant.
const fixed = new Set(
  "schema culprit kind code class order machine type odd defect flags buildId kernel requires provides undefined undefinedOfAny exports symbols bindings constants architectures flavour hwcaps legacy level platform vendor unreadable unlistable version".split(
    " ",
  ),
);

// Keys are paths in `files`: they carry names, too.
function mapFacts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapFacts(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.startsWith("/") ? change(key) : key, fixed.has(key) ? item : mapFacts(item, change)]),
  );
}

/**
 * Does the same to an answer, which holds sentences besides paths: a name is replaced where it is part of a path, or behind `@` and `=`,
 * but not where it is a word of the sentence.
 */
export function redactAnswer<T>(answer: T, variables: { [name: string]: string } = {}, known: PrivateNames = {}): T {
  const lean = reducedLines(answer);
  const texts = textsIn([lean, variables]);
  const people = [...peopleInPaths(texts), ...homesOf(variables), ...(known.people ?? [])];
  const hosts = [...hostsOf(variables), ...(known.hosts ?? [])];
  return mapTexts(lean, changing(texts, people, hosts, "(?<=[/@=~])", "(?=$|[/:;,\\s@\"'`).\\]>])|\\b{}(?=@)"));
}

/** What else stands in a line of a start-up file is its owner's. */
function reducedLines<T>(answer: T): T {
  const { inventory } = answer as { inventory?: Inventory };
  if (!inventory?.variables) return answer;
  return { ...answer, inventory: { ...inventory, variables: reducedSources(inventory.variables) } };
}

/** Which of the names to replace, by what, and all secrets with them. */
function changing(texts: string[], people: string[], hosts: string[], before: string, after: string): (text: string) => string {
  const all = texts.join("\n");
  const names = new Map([...replacements(privateAmong(people), "user", all), ...replacements(privateAmong(hosts), "host", all)]);
  const whole = replacing(names, before, after);
  const inside = insideNames(names);
  const rename = (text: string) => inside(whole(text));
  // A key that was found once is gone wherever it stands, in names of files as well: the same everywhere, so that they are still found.
  const sure = new Set<string>();
  for (const text of texts)
    replaceSecrets(text, (secret, isSure) => {
      if (isSure) sure.add(secret);
      return "(redacted)";
    });
  const secrets = replacements(
    [...sure].sort((a, b) => b.length - a.length || (a < b ? -1 : 1)),
    "redacted",
    all,
  );
  const secretless = literally(secrets);
  const mails = replacements([...new Set(texts.flatMap((text) => text.match(mailbox) ?? []))].sort(), "mail", all);
  return (text) =>
    withoutSecrets(rename(secretless(text).replace(mailbox, (address) => `${mails.get(address) ?? "mail"}@example.invalid`))).replace(
      serialNumber,
      "GPU-(redacted)",
    );
}

/** What the files say that tell who and where this is. */
export function privateNamesIn(snapshot: Snapshot): { people: string[]; hosts: string[] } {
  const text = (path: string) => {
    const at = realPath(snapshot, path);
    const fact = at === undefined ? undefined : snapshot.files[at];
    return fact?.kind === "file" ? (fact.text ?? "") : "";
  };
  const hosts = [text("/etc/hostname"), text("/proc/sys/kernel/hostname")].map((name) => name.trim());
  return { people: peopleInPasswd(text("/etc/passwd")), hosts: hosts.flatMap((name) => [name, name.split(".")[0]!]) };
}

function realPath({ files }: Snapshot, path: string): string | undefined {
  const at = createWalker<FileFact>((each) => files[each], { kind: "folder" })(path);
  return "found" in at ? at.found : undefined;
}

const homesOf = ({ HOME = "/", USER = "", LOGNAME = "", SUDO_USER = "", USERNAME = "" }: { [name: string]: string }) => [
  ...(/^\/(root)?$/.test(HOME) ? [] : [HOME.split("/").findLast((part) => part !== "") ?? ""]),
  USER,
  LOGNAME,
  SUDO_USER,
  USERNAME,
];
const hostsOf = ({ HOSTNAME = "", HOST = "" }: { [name: string]: string }) =>
  [HOSTNAME, HOST].flatMap((name) => [name, name.split(".")[0]!]);

// They say who it is, and no answer depends on them.
const isIdentity = /^(USER|LOGNAME|SUDO_\w+|USERNAME|HOSTNAME|HOST|MAIL|SSH_\w+)$/;

const privateAmong = (names: string[]) => [...new Set(names)].filter((name) => 1 < name.length && !isOrdinary(name)).sort();

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [...(Array.isArray(value) ? [] : [key]), ...textsIn(item)]);
}

// A GPU's own number tells one machine from all others.
const serialNumber = /\bGPU-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;

// `name@libcudnn.so` is a symbol's version.
const mailbox = /(?<![\w.+-])[\w.+-]{1,64}@(?!lib)(?:[A-Za-z0-9-]{1,63}\.){1,8}(?!so\b)[A-Za-z]{2,24}(?![\w-])(?!:)/g;

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

const choice = (some: string[]) =>
  some.length === 0
    ? "(?!)"
    : // Of two names the longer one first: one may begin like the other.
      some
        .toSorted((a, b) => b.length - a.length)
        .map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
        .join("|");

function literally(names: Map<string, string>): (text: string) => string {
  if (names.size === 0) return (text) => text;
  const whole = new RegExp(choice([...names.keys()]), "g");
  return (text) => text.replace(whole, (name) => names.get(name)!);
}

/** Folders are called after people in part, too: `/opt/grace-env`. Of what a package or a library is called, every part is its own. */
function insideNames(names: Map<string, string>): (text: string) => string {
  const modules = allNames("modules");
  const long = [...names.keys()].filter((name) => 4 <= name.length && !isSoftware(name));
  if (long.length === 0) return (text) => text;
  const part = new RegExp(`(?<=^|[-_.+])(?:${choice(long)})(?=$|[-_.+])`, "g");
  return (text) =>
    text.includes("/") || !/\s/.test(text)
      ? text.replace(/[^/\s:;,"'`()<>=@]+/g, (word) =>
          /\.so|-info$|^(?:lib|nvidia|tensor|cu|nccl|onnx|python)/i.test(word) ||
          modules.some((each) => word.toLowerCase().startsWith(each))
            ? word
            : word.replace(part, (name) => names.get(name)!),
        )
      : text;
}

/** A person may be called like a package; such a name is only replaced where it names a home folder. */
function replacing(names: Map<string, string>, before: string, after: string): (text: string) => string {
  if (names.size === 0) return (text) => text;
  const anywhere = choice([...names.keys()].filter((name) => !isSoftware(name)));
  const atHome = choice([...names.keys()].filter((name) => isSoftware(name)));
  const [end, ...more] = after.split("|\\b{}");
  const whole = new RegExp(
    `(?:${before}(?:${anywhere})|(?<=/(?:home|homes|users|Users)/)(?:${atHome}))${end}${more.map((rest) => `|\\b(?:${anywhere})${rest}`).join("")}`,
    "g",
  );
  return (text) => text.replace(whole, (name) => names.get(name)!);
}
