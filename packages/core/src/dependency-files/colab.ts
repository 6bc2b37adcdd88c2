// Google Colab as it was on a day: what its image had, from the lists that Google publishes.
import { colab } from "../knowledge/texts/colab.generated.ts";
import type { ColabImage } from "../model/knowledge.ts";
import type { Finding } from "../model/finding.ts";
import { once } from "../lib/memo.ts";
import { normalName } from "../lib/pep508.ts";
import type { Base, Installed } from "./install.ts";
import { recordedRule } from "./recorded.ts";
import { releaseFitting } from "../knowledge/published.ts";
import { frameworkNamed, labelledFramework } from "../model/frameworks.ts";

export interface ColabBase {
  name: string;
  base: Base;
  systemPackages: string[];
  driver?: string;
}

const rows = (): ColabImage[] => colab().images.filter(({ image }) => image !== "cpu");

/** `undefined`: a day that something is known about; else what is wrong, as a sentence. */
export function isColabDate(text: string): string | undefined {
  if (text === "latest") return undefined;
  const day = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
  if (!day) return `\`${text}\` is no day of Colab such as 2024-10-21, nor \`latest\``;
  const first = rows()[0]!.date;
  return text < first ? `what Colab had is known from ${first} on, not for ${text}` : undefined;
}

const rowOn = (day: string): ColabImage => (day === "latest" ? rows().at(-1)! : (rows().findLast(({ date }) => date <= day) ?? rows()[0]!));

export function colabBase(day: string): ColabBase {
  const row = rowOn(day);
  const place = { file: `Colab ${row.date}`, line: 1 };
  const packages = Object.entries(row.pip).map(([name, full]): Installed => {
    // Colab's own builds of TensorFlow carry a label of its own.
    const [version, label] = full.split("+") as [string, string?];
    return {
      name: name.replaceAll("_", "-"),
      version,
      ...(label === undefined ? {} : labelledFramework(name) ? { variant: label } : label.startsWith("cuda") ? { label } : {}),
      extras: [],
      manager: "image",
      isAssumed: false,
      place,
      step: 0,
    };
  });
  const python = row.python?.split(".").slice(0, 2).join(".");
  packages.push(...companionsOf(packages, python));
  const driver = colab().drivers.find(({ since }) => since !== undefined && since <= row.date)?.driver;
  return {
    name: `Colab of ${row.date}`,
    base: { packages, ...(python === undefined ? {} : { python }) },
    systemPackages: Object.keys(row.apt),
    ...(driver === undefined ? {} : { driver }),
  };
}

/** What is made with a framework is there with it, though the list does not name it: pip leaves it. */
function companionsOf(packages: Installed[], python: string | undefined): Installed[] {
  return packages.flatMap((each) => {
    // Which build of them it is, no index is asked for.
    const { variant, ...rest } = each;
    const full = variant === undefined ? each.version! : `${each.version}+${variant}`;
    const fitting = [...(frameworkNamed(each.name)?.companions ?? []), ...(listed[each.name] ?? [])].flatMap((name): Installed[] => {
      if (packages.some((other) => other.name === name) || python === undefined) return [];
      const version = releaseFitting(name, { name: each.name, version: full }, python)?.split("+")[0];
      return version === undefined ? [] : [{ ...rest, name, version }];
    });
    return fitting;
  });
}

/** What every image has beside a framework: github:googlecolab/backend-info@0042aa202e7b58599f891013d654e6b29abb5f72:pip-freeze.txt */
const listed: { [framework: string]: string[] } = { jax: ["flax", "optax", "chex", "orbax-checkpoint"], torch: ["fastai"] };

/** Since when each fault is there, what of Colab's image changed on that day, and when all of it worked last. */
export function sinceWhen(day: string, findings: Finding[], judge: (day: string) => Finding[]): Finding[] {
  // Which Python the first ones had is not known.
  const all = rows().filter(({ python }) => python !== undefined);
  const last = all.indexOf(rowOn(day));
  // Of a wheel that there is not, the subject names the Python, which changes.
  const keyOf = ({ rule, subject, facts }: Finding) =>
    `${rule} ${rule === "no-wheel-for-python" ? JSON.stringify(facts.packages) : subject}`;
  const at = new Map<number, Set<string>>();
  const faultsOn = (index: number) => {
    let keys = at.get(index);
    if (!keys) at.set(index, (keys = new Set(judge(all[index]!.date).filter(isFault).map(keyOf))));
    return keys;
  };
  // For all of them the same day: "it worked" is said of the whole, not of one finding.
  const wholeUntil = once(() => {
    let index = last - 1;
    while (0 <= index && 0 < faultsOn(index).size) index -= 1;
    return index;
  });
  return findings.map((finding) => {
    if (!isFault(finding) || last <= 0) return finding;
    let since = last;
    while (0 < since && faultsOn(since - 1).has(keyOf(finding))) since -= 1;
    if (since === 0) return finding;
    const [before, after] = [all[since - 1]!, all[since]!];
    const whole = all[wholeUntil()];
    const change = changed(before, after, finding);
    const worked =
      whole === before
        ? `it worked with Colab of ${before.date}, and breaks since ${after.date}: ${change}`
        : `this breaks since ${after.date}: ${change}${whole ? `; other things broke before, and all of it worked with Colab of ${whole.date} last` : ""}`;
    return { ...finding, because: [...finding.because, worked] };
  });
}

// What was printed once says nothing about other days.
const isFault = ({ severity, rule }: Finding) => severity !== "info" && rule !== recordedRule;

// What the finding is about comes first; the rest of an image changes all the time.
function changed(before: ColabImage, since: ColabImage, { rule, facts: { packages = [] } }: Finding): string {
  const python = before.python === since.python ? [] : [`Python ${before.python ?? "?"} became ${since.python ?? "?"}`];
  if (rule === "no-wheel-for-python" && 0 < python.length) return python[0]!;
  const system = [before, since].map(({ apt }) => systemWords(Object.keys(apt)));
  if (rule === "library-missing" && system[0] !== system[1]) return `${system[0]} became ${system[1]}`;
  const changes = [...new Set([...Object.keys(before.pip), ...Object.keys(since.pip)])].flatMap((name) => {
    const [old, now] = [before.pip[name], since.pip[name]];
    if (old === now) return [];
    return [
      { name, text: old === undefined ? `${name} ${now} came` : now === undefined ? `${name} went` : `${name} ${old} became ${now}` },
    ];
  });
  const about = new Set(packages.map(({ name }) => normalName(name)));
  const named = changes.filter(({ name }) => about.has(normalName(name)));
  const shown = [...(0 < named.length ? [] : python), ...(0 < named.length ? named : changes).map(({ text }) => text)];
  if (shown.length === 0) return "something else of the image changed";
  return `${shown.slice(0, 4).join(", ")}${4 < shown.length ? ` and ${shown.length - 4} more` : ""}`;
}

/** The CUDA runtime and cuDNN of Debian's packages, as people name them. */
export function systemWords(names: string[]): string {
  const toolkits = names.flatMap((name) => /^cuda-cudart-(\d+)-(\d+)$/.exec(name)?.slice(1).join(".") ?? []);
  const cudnn = names.flatMap((name) => /^libcudnn(\d)/.exec(name)?.[1] ?? []);
  return `CUDA ${toolkits.join(", ")} with ${cudnn.length === 0 ? "no cuDNN" : `cuDNN ${[...new Set(cudnn)].join(", ")}`}`;
}
