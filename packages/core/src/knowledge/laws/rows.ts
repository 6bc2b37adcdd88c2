// Laws of every row, of whatever subject.
import { comparePythonVersions } from "../../lib/pep440.ts";
import type { UnwatchedRelease, WatchedRelease } from "../../model/knowledge.ts";
import { compareDotted } from "../dotted.ts";
import { byText, factsOf, listsOf, outOfOrder, sourcesIn, twice, type KnowledgeFiles, type Law } from "./law.ts";

/** What tells the rows of a list apart. */
const keys: { [list: string]: (row: never) => string } = {
  toolkits: ({ version }: { version: string }) => version,
  sonames: ({ first }: { first: string }) => first,
  architectures: ({ sm }: { sm: string }) => sm,
  hostCompilers: ({ first }: { first: string }) => first,
  driverFloors: ({ major }: { major: number }) => String(major),
  driverBranches: ({ branch }: { branch: number }) => String(branch),
  layouts: ({ id }: { id: string }) => id,
  quirks: ({ says }: { says: string }) => says,
  gpus: ({ name }: { name: string }) => name.toLowerCase(),
  chips: ({ chip }: { chip: string }) => chip,
  devices: ({ list }: { list: string }) => list,
  packages: ({ ecosystem, name }: { ecosystem: string; name: string }) => `${ecosystem} ${name}`,
  releases: ({ package: name = "", version, variant = "" }: { package?: string; version: string; variant?: string }) =>
    `${name} ${version} ${variant}`,
  clashes: ({ id }: { id: string }) => id,
  checks: ({ id }: { id: string }) => id,
  rules: ({ says }: { says: string }) => says,
  history: ({ package: name, version }: { package: string; version: string }) => `${name} ${version}`,
  wheels: ({ wheel }: { wheel: string }) => wheel,
  // Headers give one number two names now and then.
  codes: (row: { enum: string; code: number; name: string; since?: string; until?: string }) =>
    `${row.enum} ${row.code} ${row.name} ${row.since ?? ""}-${row.until ?? ""}`,
  withdrawn: ({ id }: { id: string }) => id,
  removed: ({ first }: { first: string }) => first,
  profilers: ({ id }: { id: string }) => id,
  texts: ({ text }: { text: string }) => text,
  // The image may change several times a day.
  images: ({ date, image, source }: { date: string; image: string; source: string }) => `${date} ${image} ${source}`,
  compat: ({ cuda }: { cuda: string }) => cuda,
  containers: ({ image, release, flavour = "" }: { image: string; release: string; flavour?: string }) => `${image} ${release} ${flavour}`,
  constraints: ({ image }: { image: string }) => image,
  drivers: ({ driver }: { driver: string }) => driver,
  pins: ({ name }: { name: string }) => name,
  defects: ({ id }: { id: string }) => id,
  builds: ({ package: name, channel, version }: { package: string; channel: string; version: string }) => `${name} ${channel} ${version}`,
  pinned: ({ label }: { label: string }) => label,
  words: ({ word }: { word: string }) => word,
  names: ({ name }: { name: string }) => name,
  combinations: ({ id }: { id: string }) => id,
  counts: ({ torch }: { torch: string }) => torch,
  tags: ({ cuda }: { cuda: string }) => cuda,
  lists: ({ names: listed }: { names: string[] }) => listed.join(" "),
  made: ({ package: name, release }: { package: string; release: string }) => `${name} ${release}`,
  watched: ({ frameworks: together, source, libraryPath, packages: beside = [] }: WatchedRelease) =>
    JSON.stringify([together, source, libraryPath, beside]),
  unwatched: ({ framework, release }: UnwatchedRelease) => `${framework} ${release}`,
};

const real = (date: string, today: string) =>
  /^\d{4}-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?$/.test(date) && "2007-06" <= date && date <= today;

function sourcesOfRows(files: KnowledgeFiles): string[] {
  const found: string[] = [];
  for (const [subject, sources] of sourcesIn(files)) {
    const used = new Set<string>();
    for (const { list, place, row } of factsOf({ [subject]: files[subject as keyof KnowledgeFiles] } as never)) {
      for (const key of [row.source, ...Object.values(row.from ?? {})].flat()) {
        used.add(key);
        const isListed =
          key === "memory" || Object.hasOwn(sources, key) || (key === "wheel" && (row["wheels"] !== undefined || list === "packages"));
        if (list !== "wheels" && !isListed) found.push(`${place}: ${key} is no source`);
      }
    }
    for (const key of Object.keys(sources)) if (!used.has(key)) found.push(`${subject}: nothing uses the source ${key}`);
  }
  return found;
}

function fieldsOfRows(files: KnowledgeFiles): string[] {
  return factsOf(files).flatMap(({ place, row }) => {
    const { memory = [], inferred = [], corrected = [] } = row;
    const named = [...memory, ...inferred, ...Object.keys(row.from ?? {}), ...corrected.map(({ field }) => field.split(".")[0]!)];
    const has = (field: string) => Object.hasOwn(row, field) || Object.hasOwn((row["sonames"] as object | undefined) ?? {}, field);
    return [
      ...named.filter((field) => !has(field)).map((field) => `${place}: it has no ${field}`),
      ...memory.filter((field) => inferred.includes(field)).map((field) => `${place}: ${field} is both remembered and worked out`),
    ];
  });
}

function nothings(value: unknown, place: string): string[] {
  if (value === null) return [`${place} is null`];
  if (typeof value !== "object") return [];
  return Object.entries(value as object).flatMap(([key, inner]) =>
    /^(unknown|n\/a|null|)$/.test(key) ? [`${place} has a field \`${key}\``] : nothings(inner, `${place} ${key}`),
  );
}

function orders(files: KnowledgeFiles): string[] {
  const versions = (rows: { version: string }[]) => rows.map(({ version }) => version);
  return [
    ...outOfOrder(versions(files["cuda-toolkits"].toolkits), compareDotted),
    ...outOfOrder(versions(files.cudnn.releases), compareDotted),
    ...(["torch", "tensorflow", "jax", "cupy", "onnxruntime"] as const).flatMap((id) =>
      outOfOrder(versions(files[`frameworks/${id}`].releases), comparePythonVersions).map((words) => `${id}: ${words}`),
    ),
    ...outOfOrder(
      files.gpus.gpus.map(({ name }) => name.toLowerCase()),
      byText,
    ),
    ...outOfOrder(
      files.colab.images.map(({ date }) => date),
      byText,
    ),
  ];
}

function dates(files: KnowledgeFiles, today: string): string[] {
  const first = new Map<string, string>();
  for (const { cuda, released } of files["cuda-toolkits"].toolkits)
    if (released !== undefined && !first.has(cuda)) first.set(cuda, released.slice(0, 7));
  return [
    ...factsOf(files).flatMap(({ place, row }) => [
      ...(row.checked <= today ? [] : [`${place}: it was checked on ${row.checked}, which is not yet`]),
      ...["released", "firstSeen", "date"].flatMap((field) => {
        const date = row[field];
        return typeof date !== "string" || real(date, today) ? [] : [`${place}: ${field} is ${date}`];
      }),
    ]),
    ...outOfOrder([...first.values()], byText).map((words) => `toolkits were released in order: ${words}`),
  ];
}

export const lawsOfRows: Law[] = [
  {
    says: "every fact says where it comes from and when that was checked",
    broken: (files) =>
      factsOf(files).flatMap(({ list, place, row }) => [
        ...(/^20\d\d-[01]\d-[0-3]\d$/.test(row.checked) ? [] : [`${place}: the day is ${row.checked}`]),
        ...((list === "wheels" ? String(row["wheel"]).endsWith(".whl") : /\S/.test([row.source].flat().join("")))
          ? []
          : [`${place}: it has no source`]),
      ]),
  },
  { says: "every source that a fact names is listed, and every listed source is used", broken: sourcesOfRows },
  {
    says: "sources are public, and none names a machine or a download host",
    broken: (files) =>
      sourcesIn(files).flatMap(([subject, sources]) =>
        Object.entries(sources).flatMap(([key, source]) =>
          /\S/.test(source) &&
          !/pythonhosted|download\.pytorch|developer\.download|anaconda\.org|storage\.googleapis|\/(home|work|tmp)\//.test(source)
            ? []
            : [`${subject} ${key}: ${source}`],
        ),
      ),
  },
  { says: "what is only remembered, worked out or corrected is a field of its fact", broken: fieldsOfRows },
  {
    says: "nothing is null: what is not known is absent, and what there is none of says so",
    broken: (files) => Object.entries(files).flatMap(([subject, file]) => nothings(file, subject)),
  },
  {
    says: "no fact is there twice",
    broken: (files) =>
      Object.entries(files).flatMap(([subject, file]) =>
        listsOf(file).flatMap(([list, rows]) => {
          const key = keys[list];
          if (!key) return [`${subject}: ${list} has no key yet`];
          return twice(rows.map((row) => key(row as never))).map((each) => `${subject} ${list}: ${each}`);
        }),
      ),
  },
  { says: "lists are in order", broken: orders },
  { says: "dates are real, in order of versions, and not in the future", broken: dates },
  {
    says: "what a wheel proved wrong is no longer said",
    broken: (files) =>
      factsOf(files).flatMap(({ place, row }) =>
        (row.corrected ?? []).flatMap(({ field, was, evidence }) => [
          ...(/\S/.test(evidence) ? [] : [`${place}: ${field} was corrected without evidence`]),
          ...(field.includes(".") || JSON.stringify(row[field]) !== JSON.stringify(was) ? [] : [`${place}: ${field} is what was wrong`]),
        ]),
      ),
  },
];
