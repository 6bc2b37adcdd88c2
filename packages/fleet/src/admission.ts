// What a pod would run, where it may be put, and what a cluster is told about it (Kubernetes' AdmissionReview, version 1). Pure.
import type { Check, Finding } from "@culprit/core";
import type { Pair } from "./whatif.ts";

type Json = { [key: string]: unknown };

export interface Pod {
  /** Of the containers that ask for a GPU. */
  images: string[];
  /** What its selectors say: the names of groups are among them, or not. */
  selected: string[];
}

/** What was asked; without a pod where there is none that could get a GPU. */
export interface Review {
  uid: string;
  pod?: Pod;
}

const objectIn = (value: unknown): Json => (typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {});
const listIn = (value: unknown): Json[] => (Array.isArray(value) ? value.map(objectIn) : []);
const textsIn = (values: unknown[]): string[] => values.filter((each) => typeof each === "string");

/** A longer one would be no review; what is named in it is looked up, one by one. */
const mostImages = 50;
const mostSelected = 100;

/** Undefined where it is no review of this kind. */
export function reviewIn(body: Json): Review | undefined {
  const { uid, object, operation } = objectIn(body["request"]);
  if (body["kind"] !== "AdmissionReview" || body["apiVersion"] !== "admission.k8s.io/v1") return undefined;
  if (typeof uid !== "string" || uid === "" || 200 < uid.length) return undefined;
  const spec = operation === "DELETE" || operation === "CONNECT" ? undefined : podSpecIn(objectIn(object));
  const images = spec === undefined ? [] : imagesIn(spec);
  return { uid, ...(spec === undefined || images.length === 0 ? {} : { pod: { images, selected: selectedIn(spec) } }) };
}

/** Of a pod, or of what makes pods: whoever applies a Deployment is told, which its pods' warnings are not. */
function podSpecIn({ kind, spec }: Json): Json | undefined {
  const own = objectIn(spec);
  if (kind === "Pod") return own;
  const job = kind === "CronJob" ? objectIn(objectIn(own["jobTemplate"])["spec"]) : own;
  const { template } = job;
  return template === undefined ? undefined : objectIn(objectIn(template)["spec"]);
}

/** Of containers that ask for a GPU of NVIDIA's, or of all where the runtime gives them one unasked. */
function imagesIn(spec: Json): string[] {
  const all = [...listIn(spec["initContainers"]), ...listIn(spec["containers"])];
  const isGiven = typeof spec["runtimeClassName"] === "string" && spec["runtimeClassName"].includes("nvidia");
  const asking = all.filter((each) => isGiven || asksForGpu(objectIn(each["resources"])));
  return [...new Set(textsIn(asking.map(({ image }) => image)))].slice(0, mostImages);
}

const asksForGpu = ({ limits, requests, claims }: Json): boolean =>
  0 < listIn(claims).length ||
  [limits, requests].some((each) => Object.keys(objectIn(each)).some((name) => name.startsWith("nvidia.com/")));

function selectedIn(spec: Json): string[] {
  const required = objectIn(objectIn(objectIn(spec["affinity"])["nodeAffinity"])["requiredDuringSchedulingIgnoredDuringExecution"]);
  const expressions = listIn(required["nodeSelectorTerms"]).flatMap(({ matchExpressions }) => listIn(matchExpressions));
  const values = expressions.flatMap(({ operator, values: some }) => (operator === "In" && Array.isArray(some) ? (some as unknown[]) : []));
  return [...new Set(textsIn([...Object.values(objectIn(spec["nodeSelector"])), ...values]))].slice(0, mostSelected);
}

/** Under which names an image may have been pushed: as a pod names it, with or without what is understood. A digest is that very image, a tag is not. */
export function namesOf(image: string): string[] {
  const [reference = "", digest] = image.split("@");
  const tag = /:[^:/]+$/.exec(reference)?.[0] ?? "";
  const place = reference.slice(0, reference.length - tag.length);
  const short = place.replace(/^(?:index\.)?docker\.io\//, "").replace(/^library\//, "");
  const isOfHub = short !== place || !/^[^/]*[.:]|^localhost\//.test(place);
  const places = isOfHub
    ? [short, `docker.io/${short}`, ...(short.includes("/") ? [] : [`library/${short}`, `docker.io/library/${short}`])]
    : [place];
  const ends = digest === undefined ? (tag === "" || tag === ":latest" ? ["", ":latest"] : [tag]) : [`@${digest}`, `${tag}@${digest}`];
  return [...new Set([image, ...places.flatMap((each) => ends.map((end) => `${each}${end}`))])].filter((each) => each.length <= 200);
}

/** An image on one kind of machine of a group. */
export interface Placed {
  group: string;
  pair: Pair;
}

export interface JudgedImage {
  image: string;
  /** Whether it was pushed. */
  known: boolean;
  /** Wherever it may be put. */
  places: Placed[];
}

export interface AdmissionResponse {
  uid: string;
  allowed: boolean;
  warnings?: string[];
  status?: { code: number; message: string };
}

/** The API server cuts off what is longer. */
const longest = 250;
const mostWarnings = 10;
const cut = (text: string): string => (text.length <= longest ? text : `${text.slice(0, longest - 1)}…`);

/**
 * Whatever is wrong with the image by itself is its own matter: here counts what the machines make wrong. It is refused only where it is certain
 * that all that it holds fails on all machines that it may be put on; all else is allowed, and told.
 */
export function admissionOf(uid: string, mode: "warn" | "deny", images: JudgedImage[]): AdmissionResponse {
  const told = images.map(({ image, known, places }) => {
    const found = places.map(({ group, pair }) => ({ group, ...whatBreaks(pair) }));
    const byMessage = new Map<string, Set<string>>();
    for (const { group, errors } of found)
      for (const { message } of errors.slice(0, 1)) byMessage.set(message, (byMessage.get(message) ?? new Set()).add(group));
    const sentences = [...byMessage].map(([message, groups]) => `${image} on ${[...groups].join(", ")}: ${message}`);
    const isLost = 0 < found.length && found.every(({ all }) => all);
    return { sentences: known ? sentences : [`${image} was not pushed to the fleet: whether it runs is not known`], isLost, image };
  });
  const lost = mode === "deny" ? told.find(({ isLost }) => isLost) : undefined;
  if (lost)
    return {
      uid,
      allowed: false,
      status: { code: 403, message: `nowhere that it may be put does it run: ${cut(lost.sentences.join("; "))}` },
    };
  const warnings = told.flatMap(({ sentences }) => sentences.map(cut)).slice(0, mostWarnings);
  return { uid, allowed: true, ...(warnings.length === 0 ? {} : { warnings }) };
}

/** The errors that come with the machine; `all`: they are certain, and leave nothing of the image that works. */
function whatBreaks({ now, supposed }: Pair): { errors: Finding[]; all: boolean } {
  if (!now || !supposed) return { errors: [], all: false };
  const before = new Set(errorsOf(now).map(({ rule, subject }) => JSON.stringify([rule, subject])));
  const errors = errorsOf(supposed).filter(({ rule, subject }) => !before.has(JSON.stringify([rule, subject])));
  // A profile that fails keeps nobody from running.
  const lost = errors
    .filter(({ certainty }) => certainty === "certain")
    .flatMap(({ breaks }) => breaks.filter(({ activity }) => activity === "import" || activity === "device"));
  const broken = new Set(lost.map(({ framework }) => framework));
  const programs = supposed.judged.filter(({ cpuOnly }) => !cpuOnly);
  return { errors, all: 0 < programs.length && programs.every(({ program }) => broken.has(program)) };
}

const errorsOf = ({ findings }: Check): Finding[] => findings.filter(({ severity }) => severity === "error");
