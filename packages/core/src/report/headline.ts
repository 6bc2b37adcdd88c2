import { activities } from "../model/activity.ts";
import type { Affected, Finding, Headed } from "../model/finding.ts";
import { namesOf } from "../model/frameworks.ts";
import { nameOf } from "../lib/path.ts";

/** What a tired person can take in at once: under 90 with the mark before it. */
export const headlineLength = 87;

type Certainty = Finding["certainty"];

/**
 * What will fail, and why, in one line: `torch will fail at LSTM and GRU layers: cuDNN 9.19.0 with parts of 9.14.0`. Where both do not go
 * into `most` characters, the reason comes first: what fails stands below it, too.
 */
export function headline(finding: Headed, most = headlineLength): string {
  const { message, short = message, certainty, shell } = finding;
  const where = shell === "login" ? "in a login shell, " : "";
  const doubt = certainty === "certain" ? "" : ` (${certainty})`;
  const candidates = [
    ...consequences(finding).map((what) => `${where}${what}: ${short}`),
    `${where}${short}${doubt}`,
    `${where}${short}`,
    short,
  ];
  const whole = candidates.find((text) => text.length <= most);
  if (whole !== undefined) return whole;
  // Who fails is worth more than the end of a long reason.
  const what = consequences(finding).at(-1);
  return cut(what === undefined ? short : `${what}: ${short}`, most);
}

/** Where nothing gets as far as an import, it is not the import that fails: what was installed before stays, or no process begins. */
const before: { [finding: string]: string } = {
  "no-conda-build": "the install",
  "no-wheel-for-musl": "the install",
  "no-wheel-for-python": "the install",
  "requirements-clash": "the install",
  "version-not-published": "the install",
  "driver-too-old NVIDIA_REQUIRE_CUDA": "the container",
};

/** Whether pip or conda, or who starts the container, refuses all of it: what else was asked for does not come either. */
export const refusesAll = ({ rule, subject, breaks }: Pick<Finding, "rule" | "subject" | "breaks">): boolean =>
  0 < breaks.length && (before[rule] ?? before[`${rule} ${subject}`]) !== undefined;

/** What these rules find runs all the same, and slower. */
export const isSlow = ({ rule }: Pick<Finding, "rule">) => rule === "kernels-compiled-at-start" || rule === "slow-convolutions";

/** Whether a headline holds the whole message, however it begins. */
export const says = (head: string, message: string) => head.toLowerCase().includes(message.toLowerCase());

const builtForOther = new Set(["built-for-another-release", "pins-not-met"]);

/** From the longest to the shortest. */
function consequences(finding: Headed): string[] {
  const { rule, subject, breaks, endangers, certainty } = finding;
  const earlier = before[rule] ?? before[`${rule} ${subject}`];
  if (earlier !== undefined && [...breaks, ...endangers].some(({ activity }) => activity === "import"))
    return [`${earlier} ${breaks.length === 0 ? "may" : wills[certainty]} ${earlier === "the container" ? "not start" : "fail"}`];
  if (0 < breaks.length) {
    const { activity, names } = earliest(breaks);
    // A GPU is there: what was compiled for it cannot be used.
    const isWithoutModel = breaks.every(({ framework }) => !framework.includes("/") && namesOf(framework) === undefined);
    if (activity === "device" && (builtForOther.has(rule) || isWithoutModel))
      return [2, 1].flatMap((most) => [
        `${few(names, most)} ${wills[certainty]} fail where compiled code is used`,
        `${few(names, most)} ${wills[certainty]} fail`,
      ]);
    // The GPU is there, and the program calls a function that its library does not have.
    if (activity === "device" && rule === "library-wrong-version" && isProgram(breaks))
      return [2, 1].map((most) => `${few(names, most)} ${wills[certainty]} end when it uses the GPU`);
    return [2, 1].flatMap((most) => verbs(activity, certainty, isProgram(breaks)).map((verb) => `${few(names, most)} ${verb}`));
  }
  if (endangers.length === 0) return [];
  const names = [...new Set(endangers.map(({ framework }) => nameOf(framework)))];
  return [2, 1].map((most) => `${few(names, most)} ${isSlow(finding) ? "will be slow at first" : "at risk"}`);
}

const isProgram = (breaks: Affected[]) => breaks.every(({ framework }) => framework.includes("/"));

/** Who fails first, and at what. */
function earliest(breaks: Affected[]): { activity: string; names: string[] } {
  const order = (activity: string) => {
    const at = activities.findIndex((each) => each === activity);
    return at === -1 ? activities.length : at;
  };
  const first = breaks.reduce((one, other) => (order(other.activity) < order(one.activity) ? other : one)).activity;
  return {
    activity: first,
    names: [...new Set(breaks.filter(({ activity }) => activity === first).map(({ framework }) => nameOf(framework)))],
  };
}

const wills: { [certainty in Certainty]: string } = { certain: "will", likely: "will probably", possible: "may" };

function verbs(activity: string, certainty: Certainty, isProgram: boolean): string[] {
  const will = wills[certainty];
  switch (activity) {
    case "import":
      return isProgram ? [`${will} not start`] : [`${will} fail to import`, `${will} fail`];
    case "device":
      return [`${will} find no usable GPU`, `${will} find no GPU`];
    case "profile":
      return [`${will} record nothing of the GPU in a profile`, `${will} miss the GPU in profiles`, `${will} profile no GPU`];
    case "compile":
      return [`${will} fail to compile kernels`, `${will} compile nothing`];
    default:
      return [`${will} fail at ${works[activity] ?? activity}`, `${will} fail`];
  }
}

const works: { [activity: string]: string } = {
  matmul: "matrix products",
  convolution: "convolutions",
  rnn: "LSTM and GRU layers",
  "train-distributed": "distributed training",
};

/** `torch and jax`, `torch, jax and 3 more`. */
function few(names: string[], most: number): string {
  if (names.length <= most) return names.join(" and ");
  return `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
}

function cut(text: string, most: number): string {
  const kept = text.slice(0, most - 1);
  const end = kept.lastIndexOf(" ");
  return `${kept.slice(0, end < most / 2 ? undefined : end).replace(/[,:;]$/, "")}…`;
}
