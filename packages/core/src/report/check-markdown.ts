import type { Check } from "../model/check.ts";
import type { Advice, Finding } from "../model/finding.ts";
import type { Inventory } from "../model/inventory.ts";
import { commandLine } from "../lib/shell.ts";
import { affectedWords, examinedWords, listed } from "./affected.ts";
import { bareWord } from "./bare-word.ts";
import { placeWords } from "../lib/place.ts";
import { severityCounts } from "./check.ts";
import { headline, isSlow, says } from "./headline.ts";
import { endOf } from "./said.ts";
import { statusWords } from "./status.ts";
import { reporting } from "../lib/shown.ts";
import { targetKinds } from "../model/target-kinds.ts";

/** A report to paste into an issue. It replaces no names: that is done before. */
export const markdownReport = reporting(({ check, inventory }: { check: Check; inventory: Inventory }, version: string): string => {
  const shown = check.findings.filter(({ severity }) => severity !== "info");
  const unusual = check.findings.filter(({ severity }) => severity === "info");
  const result = check.status === "findings" ? listed(severityCounts(shown)) : statusWords(check);
  return [
    `### \`culprit check\`: ${inline(result)}`,
    "",
    ...shown.flatMap((finding) => findingLines(finding, check)),
    // A file is no machine.
    ...folded(
      `${inventory.frameworks.length === 0 ? "Machine" : "Machine and frameworks"}`,
      check.target.kind === "declaration" ? [] : machineLines(check, inventory),
    ),
    ...folded(
      "Notes",
      unusual.map(({ message, rule }) => `- ${inline(message)} (\`${rule}\`)`),
    ),
    ...folded(
      "Accepted",
      check.accepted.map(({ finding, reason }) => `- ${inline(finding.message)} (\`${finding.rule}\`): ${inline(reason)}`),
    ),
    ...folded(
      "Unknown",
      check.unknown.map(({ subject, reason }) => `- ${code(subject)}: ${inline(reason)}`),
    ),
    `<sub>culprit ${version}; ${inline(examinedWords(check))}. Names of people and hosts are replaced.</sub>`,
    "",
  ].join("\n");
});

function findingLines(finding: Finding, check: Check): string[] {
  const { rule, severity, message, because, evidence, breaks, endangers, advice, sources } = finding;
  const head = headline(finding);
  const mark = { error: "❌", warning: "⚠️", info: "ℹ️" }[severity];
  const item = (label: string, texts: string[]) =>
    texts.length === 0
      ? []
      : texts.length === 1
        ? [`- **${label}** ${texts[0]}`]
        : [`- **${label}**`, ...texts.map((text) => `  - ${text}`)];
  return [
    `#### ${mark} ${inline(head)}`,
    "",
    ...item("fix", advice.map(adviceText)),
    ...item("at", finding.place ? [code(placeWords(finding.place))] : []),
    ...item("because", [...(says(head, message) ? [] : [message]), ...because].map(inline)),
    ...item("breaks", 0 < breaks.length ? [inline(affectedWords(breaks, check))] : []),
    ...item(isSlow(finding) ? "slows" : "may break", 0 < endangers.length ? [inline(affectedWords(endangers, check))] : []),
    ...item("error", endOf(finding).map(code)),
    ...item("source", sources.map(inline)),
    ...item("rule", [`\`${rule}\``]),
    "",
    ...folded(
      `Evidence (${evidence.length})`,
      evidence.map((text) => `- ${inline(text)}`),
    ),
  ];
}

function folded(title: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : [`<details><summary>${title}</summary>`, "", ...lines, "", "</details>", ""];
}

function machineLines({ target }: Check, { driver, gpus, toolkits, environments, frameworks }: Inventory): string[] {
  const driverText = [
    driver.kernel ?? "none seen",
    ...(driver.module === undefined ? [] : [`(${driver.module})`]),
    ...(driver.wsl ? ["WSL2"] : []),
    ...(driver.container ? ["in a container"] : []),
  ].join(" ");
  return [
    `- target: ${targetKinds[target.kind]}`,
    `- driver: ${inline(driverText)}`,
    `- GPUs: ${gpus.length === 0 ? "none seen" : gpus.map(({ name, architecture }) => inline(`${name}${architecture ? ` (${architecture})` : ""}`)).join(", ")}`,
    `- CUDA toolkits: ${toolkits.length === 0 ? "none found" : toolkits.map(({ version, path }) => inline(`${version ?? "?"} in ${path}`)).join(", ")}`,
    ...environments.map(({ prefix, kind, version }) => `- Python ${inline(version)} (${kind}) in ${code(prefix)}`),
    ...frameworks.map(({ framework, version, compiledFor, wouldLoad }) => {
      const facts = [...new Set([...Object.keys(compiledFor), ...Object.keys(wouldLoad)])].sort().map((library) => {
        const versions = [...new Set((wouldLoad[library] ?? []).map((load) => load.version ?? "?"))].join(" and ");
        const compiled = compiledFor[library]?.version;
        return `${library} ${[...(compiled === undefined ? [] : [`for ${compiled}`]), ...(versions === "" ? [] : [`loads ${versions}`])].join(", ")}`;
      });
      return `- ${inline(framework)} ${inline(version)}${facts.length === 0 ? "" : `: ${inline(facts.join("; "))}`}`;
    }),
  ];
}

const adviceText = ({ words, command }: Advice): string => (command ? `${inline(words)}: ${code(commandLine(command))}` : inline(words));

/** Words as they are; what looks like a path, a name or markup becomes code, so that nothing in it is markup. */
function inline(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part, index) => (index % 2 === 1 ? code(part.slice(1, -1)) : part.split(" ").map(word).join(" ")))
    .join("");
}

function word(text: string, index: number): string {
  if (/^https?:\/\/[\w./?=&%#:+~-]+$/.test(text)) return text;
  // A dash or a number at the beginning would make a list.
  const isMarker = index === 0 && /^([-+*>#]+|\d+[.)])$/.test(text);
  if (!isMarker && !/[/_=*<>[\]|`$\\#~@&^]|\.so\b|^-/.test(text)) return text;
  const { before, inner, after } = bareWord(text);
  return inner === "" ? code(text) : `${before}${code(inner)}${after}`;
}

function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const padding = longest === 0 ? "" : " ";
  return `${fence}${padding}${text}${padding}${fence}`;
}
