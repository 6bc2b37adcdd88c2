// Google Colab as it was on a day: what its image had, from the lists that Google publishes.
import { colab } from "../knowledge/texts/colab.generated.ts";
import type { ColabImage } from "../model/knowledge.ts";
import type { Finding } from "../model/check.ts";
import type { Base, Installed } from "./install.ts";

export interface ColabBase {
  name: string;
  base: Base;
  driver?: string;
}

const rows = (): ColabImage[] => colab().images.filter(({ image }) => image !== "cpu");

/** `undefined`: a day that something is known about; else what is wrong, as a sentence. */
export function isColabDate(text: string): string | undefined {
  if (text === "latest") return undefined;
  const day = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
  if (!day) return `\`--colab ${text}\` is no day such as 2024-10-21, nor \`latest\``;
  const first = rows()[0]!.date;
  return text < first ? `\`--colab ${text}\`: what Colab had is known from ${first} on` : undefined;
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
      ...(name === "torch" && label !== undefined ? { variant: label } : {}),
      extras: [],
      manager: "image",
      isAssumed: false,
      place,
      step: 0,
    };
  });
  const python = row.python?.split(".").slice(0, 2).join(".");
  const driver = colab().drivers.find(({ since }) => since !== undefined && since <= row.date)?.driver;
  return {
    name: `Colab of ${row.date}`,
    base: { packages, ...(python === undefined ? {} : { python }) },
    ...(driver === undefined ? {} : { driver }),
  };
}

/** Since when each error is there, and what of Colab's image changed on that day. */
export function colabBreaks(day: string, findings: Finding[], judge: (day: string) => Finding[]): { findings: Finding[] } {
  const all = rows();
  const last = all.indexOf(rowOn(day));
  const keyOf = ({ rule, subject }: Finding) => `${rule} ${subject.replace(/ on Python 3\.\d+$/, "")}`;
  const at = new Map<number, Set<string>>();
  const keysAt = (index: number) => {
    let keys = at.get(index);
    if (!keys) at.set(index, (keys = new Set(judge(all[index]!.date).map(keyOf))));
    return keys;
  };
  return {
    findings: findings.map((finding) => {
      if (finding.severity === "info") return finding;
      const key = keyOf(finding);
      // The last day on which it was not there; rows are few, and what breaks stays broken, but for a while in between.
      let worked = -1;
      let low = 0;
      let high = last;
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        if (keysAt(middle).has(key)) high = middle;
        else {
          worked = Math.max(worked, middle);
          low = middle + 1;
        }
      }
      if (worked < 0 || keysAt(low - 1).has(key)) return finding;
      const [before, since] = [all[low - 1]!, all[low]!];
      return {
        ...finding,
        because: [
          ...finding.because,
          `on Colab it worked with the image of ${before.date}, and breaks since ${since.date}: ${changed(before, since)}`,
        ],
      };
    }),
  };
}

function changed(before: ColabImage, since: ColabImage): string {
  const changes = [
    ...(before.python === since.python ? [] : [`Python ${before.python ?? "?"} → ${since.python ?? "?"}`]),
    ...[...new Set([...Object.keys(before.pip), ...Object.keys(since.pip)])].flatMap((name) =>
      before.pip[name] === since.pip[name] ? [] : [`${name} ${before.pip[name] ?? "was not there"} → ${since.pip[name] ?? "gone"}`],
    ),
  ];
  return changes.length === 0
    ? "something else of the image changed"
    : `${changes.slice(0, 6).join(", ")}${6 < changes.length ? ` and ${changes.length - 6} more` : ""}`;
}
