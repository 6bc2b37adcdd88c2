import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import {
  checkDependencyFile,
  expandRanges,
  manifestDigest,
  redactSnapshot,
  serializeSnapshot,
  splitTold,
  takeForOtherDrivers,
  version,
  type DeclaredFiles,
  type DependencyFileRequest,
  type FileFact,
  type Snapshot,
  type Told,
} from "@culprit/core";
import { withoutLastSlashes } from "@culprit/core/lib/path";
import { sentenceOf } from "@culprit/core/lib/reason";
import { withoutSecrets } from "@culprit/core/lib/secrets";
import { kindOf } from "@culprit/machine/target/kinds";
import { declarationOf } from "./declared.ts";
import { privateNames } from "./names.ts";
import { parts } from "./parts.ts";
import { note, print, printJson, say } from "./print.ts";
import { flag, text, texts, UsageError, type Input } from "./usage.ts";
import { openWhere } from "./where.ts";

const sha256 = (content: string): string => createHash("sha256").update(content).digest("hex");

export async function run(input: Input): Promise<number> {
  if (0 < input.words.length) throw new UsageError(`\`culprit push\` takes no words: \`--target ${input.words[0]}\` names what to push`);
  const jitter = secondsOf(input, "jitter", 0);
  const targets = hostsOf(input);
  for (const each of targets) {
    serverOf(each);
    nameOf(each);
  }
  // Thousands of timers go off at the same moment.
  if (0 < jitter) await (await parts.push()).pause(Math.random() * jitter * 1000);
  if (targets.length === 1) return pushOne(input);
  return pushAll(targets);
}

/** `ssh:node[001-200]` is two hundred; each is called as its host is. */
function hostsOf(input: Input): Input[] {
  const target = text(input, "target") ?? "";
  const names = target.startsWith("ssh:") ? expandRanges(target) : [target];
  if (!names) throw new UsageError(`\`${target}\` names too many hosts`);
  if (names.length === 0) throw new UsageError(`\`${target}\` names no host: the range goes backwards`);
  if (names.length === 1) return [input];
  for (const option of ["name", "json"])
    if (input.options[option] !== undefined && input.options[option] !== false)
      throw new UsageError(`\`--${option}\` is for one target, and \`${target}\` names ${names.length}`);
  return names.map((each) => ({ ...input, options: { ...input.options, target: each } }));
}

/** How many hosts are looked at side by side. */
const abreast = 8;

/** One that cannot be reached keeps none of the others back. */
async function pushAll(targets: Input[]): Promise<number> {
  const waiting = [...targets];
  let failed = 0;
  // Hosts are waited for side by side; what is sent, and what had waited for the server, goes one by one.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn: InTurn = async (work) => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      try {
        await pushOne(next, inTurn);
      } catch (error) {
        failed += 1;
        say(`${nameOf(next)}: ${sentenceOf(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: abreast }, work));
  return failed === 0 ? 0 : 2;
}

type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

async function pushOne(input: Input, inTurn: InTurn = async (work) => work()): Promise<number> {
  const [server, name, group] = [serverOf(input), nameOf(input), text(input, "group") ?? ""];
  const { send } = await parts.push();
  const taken = new Date().toISOString();
  const { stack, texts: facts, own } = splitTold(await toldBy(input), sha256);
  const manifest = { digest: manifestDigest(stack, own, group, sha256), taken, stack, own, group };
  const outcome = await inTurn(async () => send({ ...server, spool: spoolOf(input), push: { name, manifest, facts } }));
  for (const each of outcome.notes) note(each);
  if ("problem" in outcome) throw new UsageError(outcome.problem);
  const { state, sent } = outcome;
  if (flag(input, "json")) printJson({ schema: "culprit/push@1", name, state, facts: facts.size, sent });
  else if (!flag(input, "quiet"))
    print(
      state === "unchanged"
        ? `${name} is unchanged.\n`
        : `${name} is pushed: ${sent} of its ${facts.size} ${facts.size === 1 ? "fact was" : "facts were"} new to the server.\n`,
    );
  return 0;
}

function serverOf(input: Input): { server: string; token: string } {
  const server = text(input, "server") ?? process.env["CULPRIT_FLEET_URL"];
  const token = text(input, "token") ?? process.env["CULPRIT_FLEET_TOKEN"];
  if (!server) throw new UsageError("which server? `--server URL` or CULPRIT_FLEET_URL names it");
  if (!URL.canParse(server) || !/^https?:/.test(server))
    throw new UsageError(`\`${server}\` is not the address of a server, such as https://fleet:7478`);
  if (!token) throw new UsageError("a token is needed: in CULPRIT_FLEET_TOKEN, or with `--token`");
  if (!/^[\w.~+/=-]+$/.test(token)) throw new UsageError("the token has characters that no token has");
  return { server: withoutLastSlashes(server), token };
}

function secondsOf(input: Input, name: string, usual: number): number {
  const given = text(input, name);
  if (given === undefined) return usual;
  if (!/^\d{1,5}(\.\d{1,3})?$/.test(given)) throw new UsageError(`\`--${name} ${given}\` is not a number of seconds`);
  return Number(given);
}

const spoolOf = (input: Input): string =>
  path.resolve(
    text(input, "spool") ?? path.join(process.env["XDG_STATE_HOME"] || path.join(os.homedir(), ".local/state"), "culprit/spool"),
  );

/** What it is called there: this host, or what was named. Redaction takes the host's name out of the facts, not out of this. */
function nameOf(input: Input): string {
  const given = text(input, "name");
  const target = text(input, "target");
  const root = text(input, "root");
  const name =
    given ?? (root !== undefined ? `root:${path.basename(path.resolve(root))}` : target === undefined ? os.hostname() : targetName(target));
  if (name === "" || 200 < name.length || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(name))
    throw new UsageError(`\`${name}\` cannot be the name of a node: it has 1 to 200 characters, all of which are seen`);
  return name;
}

function targetName(target: string): string {
  const kind = kindOf(target);
  const base = path.basename(path.resolve(kind?.named ?? target)).replace(/(\.json|\.tar)?(\.gz|\.zst)?$/, "");
  if (kind?.kind.id === "machine") return os.hostname();
  if (kind?.kind.id === "ssh") return kind.named;
  if (kind?.kind.id === "pid") return `${os.hostname()}:pid:${kind.named}`;
  return kind?.kind.prefix === undefined ? base : `${kind.kind.prefix}${base}`;
}

/** All that is known of the target, without people, hosts and secrets unless they are wanted. */
async function toldBy(input: Input): Promise<Told> {
  const request = await declarationOf(input, undefined);
  if (request) return declaredFiles(request, flag(input, "full"));
  const examination = await openWhere(startedAnywhere(input));
  try {
    // What a fleet is asked is what another driver would do: what that asks for is read now, while somebody can be asked.
    const taken = examination.collector
      ? await takeForOtherDrivers(examination, { driver: "580.95.05", gpus: ["H100"] }, texts(input, "python"))
      : examination.view.snapshot;
    const whole = flag(input, "full") || taken.redacted === true ? taken : redactSnapshot(taken, await privateNames(examination));
    // As a file would have it: the same facts are the same bytes.
    return JSON.parse(serializeSnapshot(whole)) as Snapshot;
  } finally {
    examination.collector?.end();
  }
}

/**
 * A machine is the same wherever its timer starts us: what lies in root's home folder, in which cron does, would make every node one of its
 * own. Only who stands beside an environment means that one, too.
 */
function startedAnywhere(input: Input): Input {
  const target = text(input, "target");
  const kind = target === undefined ? "machine" : kindOf(target)?.kind.kind;
  const isHere = kind === "machine" && text(input, "root") === undefined;
  const isNamed = texts(input, "python").some((each) => !path.isAbsolute(each));
  const hasOwn = isHere && [".venv", "venv"].some((each) => fs.existsSync(path.resolve(each, "pyvenv.cfg")));
  return (isHere || kind === "host") && !isNamed && !hasOwn ? { ...input, options: { ...input.options, cwd: "/" } } : input;
}

/** A dependency file, and all that judging it asks for beside it. */
async function declaredFiles(request: DependencyFileRequest, full: boolean): Promise<DeclaredFiles> {
  if (request.text === undefined) throw new UsageError("a day of Colab is the same for everybody: push a notebook or a requirements.txt");
  const kept = (content: string) => (full ? content : withoutSecrets(content));
  const [folder, file] = [path.dirname(request.file), path.basename(request.file)];
  const fact = (content: string): FileFact => ({ kind: "file", size: content.length, text: content });
  const files: DeclaredFiles["files"] = { [`/${file}`]: fact(kept(request.text)) };
  const answer = await checkDependencyFile({
    ...request,
    file,
    text: kept(request.text),
    read: async (named, only) => {
      const found = await request.read(path.join(folder, named), only);
      if ("problem" in found) files[`/${named}`] ??= { kind: "hidden", code: found.problem };
      else if (only === "where") files[`/${named}`] ??= { kind: "file", size: 0 };
      else files[`/${named}`] = fact(kept(found.text));
      return "problem" in found ? found : { text: kept(found.text) };
    },
  });
  if ("problem" in answer) throw new UsageError(answer.problem);
  return { schema: "culprit/declared@1", culprit: version, target: { kind: "declaration", name: file }, file, files };
}
