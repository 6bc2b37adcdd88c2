import { changesIn, hasChanges } from "../judge/judge.ts";
import { momentOf } from "../moment.ts";
import { print, printJson } from "../print.ts";
import { differencesReport, findingsReport, nodeReport, nodesReport, regressionsReport, versionsReport } from "../report/answers.ts";
import { moment, table } from "../report/text.ts";
import { whatIfReport } from "../report/whatif.ts";
import { scopes } from "../store/tokens.ts";
import { clientFor, serverOptions } from "./server.ts";
import { flag, group, json, text, texts, UsageError, wholeNumber, type Command, type Input } from "../usage.ts";
import { boundOf } from "../versions.ts";

export const queryCommand: Command = {
  name: "query",
  usage: "culprit-fleet query [nodes | findings | differences | regressions | NODE | cudnn<9.1] [options]",
  summary: "ask about all nodes: what is there, what is wrong, who differs, what became worse",
  details:
    "nodes: all of them, and what is said of each (also without a word). findings: each once, with its nodes and since when. differences: who is not like most of its group, and in what. regressions: what came since --since (24h). A name of a node: its findings and its history. `cudnn<9.1`, `torch==2.4`, `driver>=570`: who has such a version of a library, a package or the driver.",
  options: [
    ...serverOptions,
    group,
    { name: "since", value: "TIME", help: "for regressions: 2026-11-15, yesterday, 24h, 7d" },
    { name: "all", help: "findings: notes, too" },
    json,
  ],
  examples: [
    { line: "culprit-fleet query", asks: "all nodes" },
    { line: "culprit-fleet query 'cudnn<9.1' --group a100", asks: "who has an older cuDNN?" },
    { line: "culprit-fleet query regressions --since yesterday", asks: "what became worse?" },
  ],
  run: async (input) => {
    if (1 < input.words.length) throw new UsageError(`one question at a time: ${input.words.slice(0, 2).join(" or ")}?`);
    const { answer, report } = await answered(input, input.words[0] ?? "nodes");
    if (flag(input, "json")) printJson(answer);
    else print(report);
    return 0;
  },
};

async function answered(input: Input, word: string): Promise<{ answer: object; report: string }> {
  const client = clientFor(input);
  const among = text(input, "group");
  if (word === "nodes") {
    const answer = await client.nodes(among);
    return { answer, report: nodesReport(answer.nodes) };
  }
  if (word === "findings") {
    const answer = await client.findings(among, flag(input, "all"));
    return { answer, report: findingsReport(answer.findings) };
  }
  if (word === "differences") {
    const answer = await client.differences(among);
    return { answer, report: differencesReport(answer.differences, answer.groups) };
  }
  if (word === "regressions") {
    const since = text(input, "since") ?? "24h";
    if (!momentOf(since)) throw new UsageError(`\`--since ${since}\` is not a time such as 2026-11-15, yesterday, 24h or 7d`);
    const answer = await client.regressions(since, among);
    return { answer, report: regressionsReport(answer.since, answer.regressions) };
  }
  if (boundOf(word)) {
    const answer = await client.versions(word, among);
    return { answer, report: versionsReport(word, answer.found, answer.unknown) };
  }
  const answer = await client.node(word);
  return { answer, report: nodeReport(answer) };
}

export const whatIfCommand: Command = {
  name: "whatif",
  usage: "culprit-fleet whatif [--driver V] [--gpu NAME]… [--with REQUIREMENT] [--without NAME] [--node NAME --to GROUP] [options]",
  summary: "what another driver, GPU, package or place would break, on which nodes, and in which order to change them",
  details:
    "Every distinct stack is judged as `culprit check` judges it with --driver, --gpu, --with, --replace and --without, and compared with what is said of it now. --to judges images, processes and files with the driver and the GPUs of each kind of machine in that group. Nothing is changed anywhere.",
  options: [
    ...serverOptions,
    { name: "driver", value: "VERSION", help: "as if this NVIDIA driver were there: 580.95, or how it begins: 580" },
    { name: "gpu", value: "NAME|sm_XX", multiple: true, help: "as if these GPUs were there, instead of those that are" },
    { name: "with", value: "REQUIREMENT", multiple: true, help: "as if pip had installed this in every environment: torch==2.6.0" },
    { name: "replace", value: "REQUIREMENT", multiple: true, help: "the same, only where some release of it is there" },
    {
      name: "without",
      value: "NAME|PATH",
      multiple: true,
      help: "as if this were gone everywhere: a Python package, a library (cudnn<9.1), a toolkit (cuda-toolkit==12.4), a package of the system, a path",
    },
    {
      name: "to",
      value: "GROUP",
      help: "as if the images, processes and files that --node and --pool name ran on the machines of this group",
    },
    { name: "pool", value: "GROUP", help: "only nodes, images and files of this group; `--group` says the same" },
    group,
    { name: "node", value: "NAME", help: "only nodes of this name; `*` stands for anything: `image-*`" },
    json,
  ],
  examples: [
    { line: "culprit-fleet whatif --driver 580.95", asks: "what breaks if all get this driver?" },
    { line: "culprit-fleet whatif --driver 580.95 --gpu B200 --pool a100", asks: "would what runs on the A100s run on B200s?" },
    { line: "culprit-fleet whatif --node 'app:*' --to b200", asks: "would these images run on the machines of that group?" },
    { line: "culprit-fleet whatif --replace torch==2.6.0", asks: "what would that release break, wherever torch is?" },
    { line: "culprit-fleet whatif --without cuda-toolkit==12.4", asks: "who still needs that toolkit?" },
  ],
  run: async (input) => {
    const driver = text(input, "driver");
    const gpus = texts(input, "gpu").flatMap((each) => each.split(","));
    if (0 < input.words.length) throw new UsageError(`\`culprit-fleet whatif\` takes no word: ${input.words[0]}`);
    const changes = changesIn({ with: texts(input, "with"), replace: texts(input, "replace"), without: texts(input, "without") });
    const [pool, nodes, to] = [text(input, "pool") ?? text(input, "group"), text(input, "node"), text(input, "to")];
    if (pool !== (text(input, "group") ?? pool)) throw new UsageError("`--pool` and `--group` say the same: name one group");
    if (driver === undefined && gpus.length === 0 && to === undefined && !hasChanges(changes))
      throw new UsageError("what if what? `--driver V`, `--gpu NAME`, `--with REQUIREMENT`, `--without NAME` or `--to GROUP`");
    const answer = await clientFor(input).whatIf({
      ...(driver === undefined ? {} : { driver }),
      ...(gpus.length === 0 ? {} : { gpus }),
      ...(pool === undefined ? {} : { pool }),
      ...(nodes === undefined ? {} : { nodes }),
      ...(to === undefined ? {} : { to }),
      ...changes,
    });
    if (flag(input, "json")) printJson(answer);
    else print(whatIfReport(answer));
    return 0 < answer.outcomes.breaks ? 1 : 0;
  },
};

export const tokenCommand: Command = {
  name: "token",
  usage: "culprit-fleet token [list | create node|read|admit|admin | revoke ID] [options]",
  summary: "who may push, read and administer",
  details:
    "A new token is shown once: the server keeps only its digest. `node` pushes under names that fit --nodes, and can read nothing; `admit` asks whether a pod may start, and nothing else.",
  options: [
    ...serverOptions,
    { name: "nodes", value: "NAME", help: "for `node`: the names that it may push as; `*` stands for anything: a100-*" },
    { name: "note", value: "TEXT", help: "who or what has it" },
    { name: "days", value: "N", help: "how long it is good for; without it, until it is revoked" },
    json,
  ],
  examples: [
    { line: "culprit-fleet token create node --nodes 'a100-*' --note 'the A100s'", asks: "one for a group of nodes" },
    { line: "culprit-fleet token create read --days 30", asks: "one for a person" },
    { line: "culprit-fleet token revoke 3", asks: "one that got lost" },
  ],
  run: async (input) => {
    const { answer, report } = await tokenAnswer(input);
    if (flag(input, "json")) printJson(answer);
    else print(report);
    return 0;
  },
};

async function tokenAnswer(input: Input): Promise<{ answer: object; report: string }> {
  const [verb = "list", word] = input.words;
  const client = clientFor(input);
  if (verb === "list") {
    const answer = await client.tokens();
    const state = (each: (typeof answer.tokens)[number]) =>
      each.revoked !== null ? `revoked ${moment(each.revoked)}` : each.expires !== null ? `until ${moment(each.expires)}` : "";
    const rows = answer.tokens.map((each) => [
      String(each.id),
      each.scope,
      each.nodes,
      each.used === null ? "never" : moment(each.used),
      state(each),
      each.note,
    ]);
    return { answer, report: table(["id", "scope", "nodes", "last used (UTC)", "", "note"], rows) };
  }
  if (verb === "create") {
    const scope = scopes.find((each) => each === word);
    if (!scope) throw new UsageError(`a token is for one of ${scopes.join(", ")}`);
    const [nodes, note] = [text(input, "nodes"), text(input, "note")];
    const days = text(input, "days") === undefined ? undefined : wholeNumber(input, "days", 0, 36_500, 1);
    const answer = await client.addToken({
      scope,
      ...(nodes === undefined ? {} : { nodes }),
      ...(note === undefined ? {} : { note }),
      ...(days === undefined ? {} : { days }),
    });
    return { answer, report: `${answer.token}\n` };
  }
  if (verb !== "revoke") throw new UsageError(`there is no \`token ${verb}\`: list, create or revoke`);
  if (word === undefined || !/^\d{1,15}$/.test(word)) throw new UsageError("which token? `culprit-fleet token list` has their numbers");
  const answer = await client.revokeToken(word);
  return { answer, report: `Token ${answer.revoked} is revoked.\n` };
}

export const removeCommand: Command = {
  name: "remove",
  usage: "culprit-fleet remove NODE",
  summary: "forget a node that is no more",
  options: [...serverOptions, json],
  examples: [{ line: "culprit-fleet remove a100-07", asks: "it was sold" }],
  run: async (input) => {
    const [name, other] = input.words;
    if (name === undefined || other !== undefined) throw new UsageError("name one node");
    const answer = await clientFor(input).removeNode(name);
    if (flag(input, "json")) printJson(answer);
    else print(`${answer.removed} is forgotten.\n`);
    return 0;
  },
};
