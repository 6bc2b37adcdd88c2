// What must hold for every fact, whoever adds it.
import { readFileSync } from "node:fs";
import { Compile } from "typebox/schema";
import { expect, test } from "vitest";
import { compareDotted } from "../../packages/core/src/knowledge/dotted.ts";
import { libraryOf } from "../../packages/core/src/knowledge/libraries.ts";
import { libraries } from "../../packages/core/src/knowledge/libraries.generated.ts";
import { comparePythonVersions, parsePythonVersion } from "../../packages/core/src/lib/pep440.ts";
import type { Pins, Sourced, UnwatchedRelease, WatchedRelease } from "../../packages/core/src/model/knowledge.ts";
import {
  allWheels,
  colab,
  cudnn,
  cupy,
  errorCodes,
  file,
  gpus,
  jax,
  listsOf,
  names,
  onnxruntime,
  packages,
  tensorflow,
  toolkits,
  torch,
  wheels,
} from "./files.ts";

const facts = names.flatMap((name) => listsOf(name).flatMap(([list, rows]) => rows.map((row, index) => ({ name, list, index, row }))));
const frameworks = { torch, tensorflow, jax, cupy, onnxruntime };
const releases = Object.entries(frameworks).flatMap(([id, { releases: rows }]) => rows.map((row) => ({ id, row })));
const isOrdered = (versions: string[], compare: (a: string, b: string) => number) =>
  versions.every((version, index) => index === 0 || compare(versions[index - 1]!, version) <= 0);

test.each(names)("knowledge/%s.json has the shape of its schema", (name) => {
  const schema = JSON.parse(readFileSync(`schema/knowledge/${name.replace("/", "-")}.schema.json`, "utf8")) as Record<string, unknown>;
  const [, errors] = Compile(schema).Errors(file(name));
  expect(errors).toEqual([]);
});

test("every fact says where it comes from and when that was checked", () => {
  for (const { name, list, index, row } of facts) {
    const place = `${name} ${list} ${index}`;
    expect(row.checked, place).toMatch(/^20\d\d-[01]\d-[0-3]\d$/);
    if (list === "wheels") expect(row["wheel"], place).toMatch(/\.whl$/);
    else expect([row.source].flat().join(""), place).toMatch(/\S/);
  }
});

test("every source that a fact names is listed, and every listed source is used", () => {
  for (const name of names) {
    const used = new Set<string>();
    for (const [list, rows] of listsOf(name)) {
      for (const row of rows) {
        for (const key of [row.source, ...Object.values(row.from ?? {})].flat()) {
          used.add(key);
          const isListed =
            key === "memory" ||
            Object.hasOwn(file(name).sources, key) ||
            (key === "wheel" && (row["wheels"] !== undefined || list === "packages"));
          if (list !== "wheels") expect(isListed, `${name}: ${key}`).toBe(true);
        }
      }
    }
    expect(
      Object.keys(file(name).sources).filter((key) => !used.has(key)),
      `${name} has sources that nothing uses`,
    ).toEqual([]);
  }
});

test("sources are public, and none names a machine or a download host", () => {
  for (const name of names) {
    for (const source of Object.values(file(name).sources)) {
      expect(source, name).toMatch(/\S/);
      expect(source, name).not.toMatch(
        /pythonhosted|download\.pytorch|developer\.download|anaconda\.org|storage\.googleapis|\/(home|work|tmp)\//,
      );
    }
  }
});

test("what is only remembered, worked out or corrected is a field of its fact", () => {
  for (const { name, list, row } of facts) {
    const fields = [
      ...(row.memory ?? []),
      ...(row.inferred ?? []),
      ...Object.keys(row.from ?? {}),
      ...(row.corrected ?? []).map(({ field }) => field.split(".")[0]!),
    ];
    const has = (field: string) => Object.hasOwn(row, field) || Object.hasOwn((row["sonames"] as object | undefined) ?? {}, field);
    expect(
      fields.filter((field) => !has(field)),
      `${name} ${list} ${JSON.stringify(row).slice(0, 120)}`,
    ).toEqual([]);
    expect((row.memory ?? []).filter((field) => row.inferred?.includes(field))).toEqual([]);
  }
});

test("nothing is null: what is not known is absent, and what there is none of says so", () => {
  for (const name of names)
    expect(readFileSync(`knowledge/${name}.json`, "utf8"), name).not.toMatch(/:\s*null\b|"(unknown|n\/a|null|)":|\bundefined\b/);
});

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
  codes: ({ enum: name, code, since = "", until = "" }: { enum: string; code: number; since?: string; until?: string }) =>
    `${name} ${code} ${since}-${until}`,
  texts: ({ text }: { text: string }) => text,
  // The image may change several times a day.
  images: ({ date, image, source }: { date: string; image: string; source: string }) => `${date} ${image} ${source}`,
  containers: ({ image, release, flavour = "" }: { image: string; release: string; flavour?: string }) => `${image} ${release} ${flavour}`,
  constraints: ({ image }: { image: string }) => image,
  drivers: ({ driver }: { driver: string }) => driver,
  pins: ({ name }: { name: string }) => name,
  builds: ({ package: name, channel, version }: { package: string; channel: string; version: string }) => `${name} ${channel} ${version}`,
  pinned: ({ label }: { label: string }) => label,
  words: ({ word }: { word: string }) => word,
  combinations: ({ id }: { id: string }) => id,
  counts: ({ torch }: { torch: string }) => torch,
  lists: ({ names: listed }: { names: string[] }) => listed.join(" "),
  made: ({ package: name, release }: { package: string; release: string }) => `${name} ${release}`,
  watched: ({ frameworks: together, source, libraryPath, packages: beside = [] }: WatchedRelease) =>
    JSON.stringify([together, source, libraryPath, beside]),
  unwatched: ({ framework, release }: UnwatchedRelease) => `${framework} ${release}`,
};

test.each(names)("knowledge/%s.json has no fact twice", (name) => {
  for (const [list, rows] of listsOf(name)) {
    expect(Object.keys(keys), `${list} has no key yet`).toContain(list);
    const all = rows.map((row) => keys[list]!(row as never));
    expect(
      all.filter((key, index) => all.indexOf(key) !== index),
      `${name} ${list}`,
    ).toEqual([]);
  }
});

test("lists are in order", () => {
  expect(
    isOrdered(
      toolkits.toolkits.map(({ version }) => version),
      compareDotted,
    ),
  ).toBe(true);
  expect(
    isOrdered(
      cudnn.releases.map(({ version }) => version),
      compareDotted,
    ),
  ).toBe(true);
  for (const [id, { releases: rows }] of Object.entries(frameworks))
    expect(
      isOrdered(
        rows.map(({ version }) => version),
        comparePythonVersions,
      ),
      id,
    ).toBe(true);
  expect(
    isOrdered(
      gpus.gpus.map(({ name }) => name.toLowerCase()),
      (a, b) => (a < b ? -1 : 1),
    ),
  ).toBe(true);
  expect(
    isOrdered(
      colab.images.map(({ date }) => date),
      (a, b) => (a < b ? -1 : a > b ? 1 : 0),
    ),
  ).toBe(true);
});

test("versions can be read", () => {
  const dotted = /^\d+(\.\d+)+$/;
  for (const { version, cuda, driver, cudart, cupti, nvcc, ptx } of toolkits.toolkits) {
    for (const text of [version, cuda, driver, cudart, cupti, nvcc, ptx]) if (text !== undefined) expect(text).toMatch(dotted);
    expect(version.startsWith(`${cuda}.`)).toBe(true);
  }
  for (const { version } of cudnn.releases) expect(version).toMatch(/^\d+\.\d+\.\d+(\.\d+)?$/);
  for (const { id, row } of releases) {
    expect(parsePythonVersion(row.version), `${id} ${row.version}`).toBeDefined();
    for (const field of ["cuda", "cudnn", "nccl"]) {
      const written = (row as unknown as { [field: string]: string | string[] | undefined })[field];
      for (const text of written === undefined ? [] : [written].flat())
        expect(text, `${id} ${row.version} ${field}`).toMatch(/^\d+(\.\d+)*(\.x)?$/);
    }
  }
  for (const { version, wheel } of allWheels) expect(parsePythonVersion(version), wheel).toBeDefined();
});

test("dates are real, in order of versions, and not in the future", () => {
  const today = new Date().toISOString().slice(0, 10);
  const real = (date: string) => /^\d{4}-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?$/.test(date) && "2007-06" <= date && date <= today;
  for (const { name, row } of facts) {
    expect(row.checked <= today, `${name} ${row.checked}`).toBe(true);
    for (const field of ["released", "firstSeen", "date"]) {
      const date = row[field];
      if (typeof date === "string") expect(real(date), `${name} ${field} ${date}`).toBe(true);
    }
  }
  const first = new Map<string, string>();
  for (const { cuda, released } of toolkits.toolkits) if (released !== undefined && !first.has(cuda)) first.set(cuda, released.slice(0, 7));
  expect(
    isOrdered([...first.values()], (a, b) => (a < b ? -1 : a > b ? 1 : 0)),
    "toolkits were released in order",
  ).toBe(true);
});

test("driver floors rise with CUDA, and no toolkit has a driver below its predecessor's minor", () => {
  const floors = toolkits.driverFloors.map(({ driver }) => driver);
  expect(isOrdered(floors, compareDotted)).toBe(true);
  const least = new Map<string, string>();
  for (const { cuda, driver } of toolkits.toolkits) if (driver !== undefined && !least.has(cuda)) least.set(cuda, driver);
  expect(isOrdered([...least.values()], compareDotted), [...least].join(" ")).toBe(true);
  for (const { major, driver } of toolkits.driverFloors) {
    const own = toolkits.toolkits.filter(({ version }) => version.startsWith(`${major}.`)).flatMap((each) => each.driver ?? []);
    expect(compareDotted(own.sort(compareDotted).at(-1)!, driver), `CUDA ${major}`).toBeGreaterThanOrEqual(0);
  }
});

test("CUPTI's number, PTX and component versions never fall", () => {
  for (const field of ["cuptiApi", "ptx"] as const) {
    const known = toolkits.toolkits.flatMap((each) => (each[field] === undefined ? [] : [String(each[field])]));
    expect(isOrdered(known, compareDotted), field).toBe(true);
  }
  for (const field of ["cudart", "nvcc", "cupti"] as const) {
    const known = toolkits.toolkits.flatMap((each) => each[field] ?? []);
    expect(isOrdered(known, compareDotted), field).toBe(true);
    for (const { cuda, [field]: version } of toolkits.toolkits)
      if (version !== undefined) expect(version.startsWith(`${cuda}.`), `${cuda} ${field} ${version}`).toBe(true);
  }
});

test("cuDNN's number is its version", () => {
  for (const { version, number, soname, file: real } of cudnn.releases) {
    const [major, minor, patch] = version.split(".").map(Number) as [number, number, number];
    expect(number, version).toBe(major * (major < 9 ? 1000 : 10_000) + minor * 100 + patch);
    expect(soname).toBe(`libcudnn.so.${major}`);
    expect(real).toBe(`libcudnn.so.${major}.${minor}.${patch}`);
  }
});

test("cuDNN's layouts are known, and its toolkits are of its CUDA majors", () => {
  for (const { version, layout, toolkits: minors = [], cudaMajors, drivers = {}, smMin = {}, smMax } of cudnn.releases) {
    expect(cudnn.layouts.map(({ id }) => id)).toContain(layout);
    for (const minor of minors) expect(cudaMajors, `${version} ${minor}`).toContain(Number(minor.split(".")[0]));
    for (const major of [...Object.keys(drivers), ...Object.keys(smMin)]) expect(cudaMajors, version).toContain(Number(major));
    for (const sm of Object.values(smMin))
      if (smMax !== undefined) expect(Number(sm.slice(3)) <= Number(smMax.slice(3)), version).toBe(true);
  }
});

const unknown = (name: string) => libraryOf(name.replace("_*", "_graph")) === undefined;

test("every soname belongs to a known library", () => {
  const ours = /^lib(tensorflow_framework|torch_cuda|c10_cuda|onnxruntime_)/;
  expect(packages.packages.flatMap(({ provides }) => provides).filter((name) => unknown(name) && !ours.test(name))).toEqual([]);
  expect(
    toolkits.toolkits
      .flatMap(({ cudartSoname = "libcudart.so", cuptiSoname = "libcupti.so" }) => [cudartSoname, cuptiSoname])
      .filter(unknown),
  ).toEqual([]);
  expect(cudnn.layouts.flatMap(({ objects }) => objects).filter((name) => libraryOf(name)?.id !== "cudnn")).toEqual([]);
  for (const { sonames } of toolkits.sonames)
    for (const [id, soname] of Object.entries(sonames)) expect(libraryOf(soname)?.id, soname).toBe(id);
  expect(tensorflow.releases.flatMap(({ opens = [] }) => opens).filter(unknown)).toEqual([]);
  const ids = new Set(libraries.map(({ id }) => id));
  for (const { wheel, objects } of allWheels) {
    for (const { needs = [], opens = [], library } of Object.values(objects)) {
      expect([...needs, ...opens].filter(unknown), wheel).toEqual([]);
      if (library !== undefined) expect(ids.has(library), wheel).toBe(true);
    }
  }
});

test("the sonames of a toolkit are those of its minor", () => {
  for (const { version, cuda, cudartSoname, cuptiSoname } of toolkits.toolkits) {
    const range = toolkits.sonames.find(({ first, last }) => compareDotted(first, cuda) <= 0 && compareDotted(cuda, last) <= 0);
    expect(range, version).toBeDefined();
    if (cudartSoname !== undefined) expect(range!.sonames["cudart"], version).toBe(cudartSoname);
    if (cuptiSoname !== undefined) expect(range!.sonames["cupti"], version).toBe(cuptiSoname);
  }
  const ranges = toolkits.sonames.toSorted((a, b) => compareDotted(a.first, b.first));
  for (const [index, { first }] of ranges.entries()) if (0 < index) expect(compareDotted(ranges[index - 1]!.last, first)).toBeLessThan(0);
});

const architectures = new Map(toolkits.architectures.map((each) => [each.sm, each]));
const plainSm = (name: string) => name.replace(/^compute_/, "sm_").replace(/[af]$/, "");

test("toolkits build exactly for the architectures of their time", () => {
  for (const { version, cuda, architectures: built = [] } of toolkits.toolkits) {
    for (const sm of built) {
      const { first, last } = architectures.get(sm) ?? architectures.get(plainSm(sm)) ?? { first: "", last: undefined };
      expect(first, `${version} ${sm}`).not.toBe("");
      expect(compareDotted(first, cuda) <= 0 && (last === undefined || compareDotted(cuda, last) <= 0), `${version} ${sm}`).toBe(true);
    }
  }
  for (const { sm, first, last, firstDriver, lastDriver } of toolkits.architectures) {
    if (last !== undefined) expect(compareDotted(first, last), sm).toBeLessThanOrEqual(0);
    if (firstDriver !== undefined && lastDriver !== undefined) expect(firstDriver).toBeLessThanOrEqual(lastDriver);
  }
});

test("every GPU has an architecture that some toolkit builds for", () => {
  for (const { name, sm, architecture } of gpus.gpus) expect(architectures.get(sm)?.name, name).toBe(architecture);
  for (const { chip, sm } of gpus.chips) expect(architectures.has(sm), chip).toBe(true);
});

test("no PCI device belongs to two chips", () => {
  const ranges = gpus.chips.flatMap(({ chip, ids }) => ids.map((id) => ({ chip, ends: id.split("-").map((end) => parseInt(end, 16)) })));
  ranges.sort((a, b) => a.ends[0]! - b.ends[0]!);
  for (const [index, { chip, ends }] of ranges.entries()) {
    expect(ends[0]! <= ends.at(-1)!, chip).toBe(true);
    if (0 < index) expect(ranges[index - 1]!.ends.at(-1)! < ends[0]!, `${chip} ${ranges[index - 1]!.chip}`).toBe(true);
  }
});

test("the architectures of every build and every wheel are known", () => {
  const all = [
    ...releases.flatMap(({ row }) => ("architectures" in row ? row.architectures : [])),
    ...allWheels.flatMap(({ objects }) => Object.values(objects).flatMap((each) => each.architectures ?? [])),
  ];
  expect([...new Set(all)].filter((name) => name === undefined || !architectures.has(plainSm(name)))).toEqual([]);
});

const pinsOf = (row: unknown) => (row as { pins?: Pins }).pins ?? {};
const packageNames = new Set(packages.packages.filter(({ ecosystem }) => ecosystem === "pypi").map(({ name }) => name));

test("every pin names a known package, with a specifier that can be met", () => {
  const others = /^(triton|tensorrt|tensorrt-.*|cuda-tile|jaxlib|cuda-pathfinder)$/;
  for (const { id, row } of releases) {
    for (const [name, specifier] of Object.entries(pinsOf(row))) {
      const place = `${id} ${row.version}: ${name}${specifier}`;
      expect(packageNames.has(name.replace(/\[.*/, "")) || others.test(name), place).toBe(true);
      expect(specifier, place).toMatch(/^((~=|==|!=|<=|>=|<|>)[\w.!+*]+(,(?!$)|$))*$/);
      const bound = (operator: RegExp) => specifier.split(",").flatMap((clause) => operator.exec(clause)?.[1] ?? []);
      for (const low of bound(/^>=?(.*)/))
        for (const high of bound(/^<=?(.*)/)) expect(comparePythonVersions(low, high), place).toBeLessThan(0);
    }
  }
});

test("a release pins the cuDNN and NCCL that it says it was built with", () => {
  for (const row of torch.releases) {
    for (const [field, stem] of [
      ["cudnn", "nvidia-cudnn"],
      ["nccl", "nvidia-nccl"],
    ] as const) {
      const pin = Object.entries(pinsOf(row)).find(([name]) => name.startsWith(`${stem}-cu`))?.[1];
      if (pin?.startsWith("==") && row[field] !== undefined) expect(pin, `torch ${row.version} ${row.variant}`).toBe(`==${row[field]}`);
    }
    expect(row.variant.slice(2), `torch ${row.version}`).toBe(row.cuda.replace(".", ""));
    if (row.bundled) expect(pinsOf(row), `torch ${row.version} ${row.variant}`).toEqual({});
  }
});

test("one variant of a release is the default, at most", () => {
  const defaults = torch.releases.filter((row) => row.default).map(({ version }) => version);
  expect(defaults.filter((version, index) => defaults.indexOf(version) !== index)).toEqual([]);
});

test("a wheel is of its release, and its file is named after it", () => {
  for (const { id, row } of releases) {
    for (const wheel of row.wheels ?? []) {
      expect(wheel.version.startsWith(row.version), `${id} ${row.version} ${wheel.wheel}`).toBe(true);
      expect(
        wheel.wheel
          .toLowerCase()
          .replace(/_/g, "-")
          .startsWith(`${wheel.package}-${wheel.version.replace(/_/g, "-")}`),
        wheel.wheel,
      ).toBe(true);
    }
  }
});

test("the version that a main object's code tells is its package's", () => {
  const told = wheels.wheels.flatMap((wheel) =>
    Object.values(wheel.objects)
      // CUPTI and NVVM count on their own.
      .filter(({ version, library }) => version !== undefined && library !== "cupti" && library !== "nvvm")
      .map(({ version }) => ({ wheel: wheel.wheel, package: wheel.version, code: version! })),
  );
  expect(told.length).toBeGreaterThan(50);
  expect(told.filter(({ package: whole, code }) => !`${whole}.`.startsWith(`${code}.`))).toEqual([]);
});

test("what a wheel proved wrong is no longer said", () => {
  for (const { name, row } of facts) {
    for (const { field, was, evidence } of row.corrected ?? []) {
      expect(evidence, name).toMatch(/\S/);
      if (!field.includes(".")) expect(row[field], `${name} ${field}`).not.toEqual(was);
    }
  }
});

test("JAX's checks are explained", () => {
  const ids = (jax.checks ?? []).map(({ id }) => id);
  for (const { version, check } of jax.releases) if (check !== undefined) expect(ids, version).toContain(check);
});

test("an error has one name, and eras of one numbering do not overlap", () => {
  for (const { enum: name, code, since, until } of errorCodes.codes) {
    if (since !== undefined && until !== undefined) expect(compareDotted(since, until), `${name} ${code}`).toBeLessThanOrEqual(0);
  }
  for (const { enum: name, code, text } of errorCodes.texts) {
    if (name === "cudaError_t")
      expect(
        errorCodes.codes.some((each) => each.enum === name && each.code === code),
        text,
      ).toBe(true);
  }
});

test("what rests on memory alone is counted", () => {
  const remembered = facts.filter(({ row }: { row: Sourced }) => row.source === "memory").length;
  // This number may fall: whoever looks a fact up lowers it.
  expect(remembered).toBeLessThanOrEqual(41);
});
