// Laws of toolkits, cuDNN and GPUs.
import { libraryOf } from "../libraries.ts";
import { libraries } from "../libraries.generated.ts";
import { nameOf } from "../../lib/path.ts";
import { compareDotted } from "../dotted.ts";
import { outOfOrder, releasesIn, wheelsIn, type KnowledgeFiles, type Law } from "./law.ts";

const dotted = /^\d+(\.\d+)+$/;
const isUnknown = (name: string) => libraryOf(name.replace("_*", "_graph")) === undefined;
export const plainSm = (name: string): string => name.replace(/^compute_/, "sm_").replace(/[af]$/, "");
const architecturesOf = (files: KnowledgeFiles) => new Map(files["cuda-toolkits"].architectures.map((each) => [each.sm, each]));

function versions(files: KnowledgeFiles): string[] {
  const { toolkits } = files["cuda-toolkits"];
  return [
    ...(toolkits.flatMap(({ version, cuda, driver, cudart, cupti, nvcc, ptx }) => [
      ...[version, cuda, driver, cudart, cupti, nvcc, ptx].filter((text) => text !== undefined && !dotted.test(text)),
      ...(version.startsWith(`${cuda}.`) ? [] : [`${version} is not of CUDA ${cuda}`]),
    ]) as string[]),
    ...files.cudnn.releases.flatMap(({ version }) => (/^\d+\.\d+\.\d+(\.\d+)?$/.test(version) ? [] : [version])),
  ];
}

function drivers(files: KnowledgeFiles): string[] {
  const { driverFloors, toolkits } = files["cuda-toolkits"];
  const least = new Map<string, string>();
  for (const { cuda, driver } of toolkits) if (driver !== undefined && !least.has(cuda)) least.set(cuda, driver);
  return [
    ...outOfOrder(
      driverFloors.map(({ driver }) => driver),
      compareDotted,
    ),
    ...outOfOrder([...least.values()], compareDotted),
    ...driverFloors.flatMap(({ major, driver }) => {
      const own = toolkits.filter(({ version }) => version.startsWith(`${major}.`)).flatMap((each) => each.driver ?? []);
      const newest = own.toSorted(compareDotted).at(-1);
      return newest !== undefined && 0 <= compareDotted(newest, driver) ? [] : [`CUDA ${major}: no toolkit's driver reaches ${driver}`];
    }),
  ];
}

function components(files: KnowledgeFiles): string[] {
  const { toolkits } = files["cuda-toolkits"];
  const known = (field: "cuptiApi" | "ptx" | "cudart" | "nvcc" | "cupti") =>
    outOfOrder(
      toolkits.flatMap((each) => (each[field] === undefined ? [] : [String(each[field])])),
      compareDotted,
    ).map((words) => `${field}: ${words}`);
  return [
    ...(["cuptiApi", "ptx", "cudart", "nvcc", "cupti"] as const).flatMap(known),
    ...toolkits.flatMap((each) =>
      (["cudart", "nvcc", "cupti"] as const).flatMap((field) =>
        each[field] === undefined || each[field].startsWith(`${each.cuda}.`) ? [] : [`${each.version}: ${field} is ${each[field]}`],
      ),
    ),
  ];
}

function cudnnNumbers({ cudnn }: KnowledgeFiles): string[] {
  return cudnn.releases.flatMap(({ version, number, soname, file }) => {
    const [major, minor, patch] = version.split(".").map(Number) as [number, number, number];
    const holds =
      number === major * (major < 9 ? 1000 : 10_000) + minor * 100 + patch &&
      soname === `libcudnn.so.${major}` &&
      file === `libcudnn.so.${major}.${minor}.${patch}`;
    return holds ? [] : [version];
  });
}

function cudnnLayouts({ cudnn }: KnowledgeFiles): string[] {
  const layouts = new Set(cudnn.layouts.map(({ id }) => id));
  return cudnn.releases.flatMap(({ version, layout, toolkits = [], cudaMajors, drivers: least = {}, smMin = {}, smMax }) => [
    ...(layouts.has(layout) ? [] : [`${version}: there is no layout ${layout}`]),
    ...[...toolkits.map((minor) => minor.split(".")[0]!), ...Object.keys(least), ...Object.keys(smMin)]
      .filter((major) => !cudaMajors.includes(Number(major)))
      .map((major) => `${version} is not for CUDA ${major}`),
    ...Object.values(smMin)
      .filter((sm) => smMax !== undefined && Number(smMax.slice(3)) < Number(sm.slice(3)))
      .map((sm) => `${version}: from ${sm} to ${smMax}`),
  ]);
}

/** `libnvvm.so`, whose soname is libnvvm.so.4, is found by its own name alone. */
function namesOfFiles(files: KnowledgeFiles): string[] {
  return files.packages.packages.flatMap(({ ecosystem, name, provides }) => {
    const objects = ecosystem === "pypi" ? wheelsIn(files).filter((wheel) => wheel.package === name) : [];
    const all = objects.flatMap((wheel) => Object.entries(wheel.objects).map(([file, { soname }]) => ({ file: nameOf(file), soname })));
    return all
      .filter(({ file, soname }) => soname !== undefined && file !== soname && provides.includes(soname))
      .filter(({ soname }) => !all.some((other) => other.file === soname))
      .map(({ file, soname }) => `${name} has ${file}, and no ${soname}`);
  });
}

function sonames(files: KnowledgeFiles): string[] {
  const ours = /^lib(tensorflow_framework|torch_cuda|c10_cuda|onnxruntime_)/;
  const ids = new Set(libraries.map(({ id }) => id));
  return [
    ...files.packages.packages.flatMap(({ provides }) => provides).filter((name) => isUnknown(name) && !ours.test(name)),
    ...files["cuda-toolkits"].toolkits
      .flatMap(({ cudartSoname = "libcudart.so", cuptiSoname = "libcupti.so" }) => [cudartSoname, cuptiSoname])
      .filter(isUnknown),
    ...files.cudnn.layouts.flatMap(({ objects }) => objects).filter((name) => libraryOf(name)?.id !== "cudnn"),
    ...files["cuda-toolkits"].sonames.flatMap((range) =>
      Object.entries(range.sonames).flatMap(([id, soname]) => (libraryOf(soname)?.id === id ? [] : [`${soname} is not of ${id}`])),
    ),
    ...files["frameworks/tensorflow"].releases.flatMap(({ opens = [] }) => opens).filter(isUnknown),
    ...wheelsIn(files).flatMap(({ objects }) =>
      Object.values(objects).flatMap(({ needs = [], opens = [], library }) => [
        ...[...needs, ...opens].filter(isUnknown),
        ...(library === undefined || ids.has(library) ? [] : [library]),
      ]),
    ),
  ];
}

function sonamesOfMinors(files: KnowledgeFiles): string[] {
  const { toolkits, sonames: all } = files["cuda-toolkits"];
  const ranges = all.toSorted((a, b) => compareDotted(a.first, b.first));
  return [
    ...toolkits.flatMap(({ version, cuda, cudartSoname, cuptiSoname }) => {
      const range = all.find(({ first, last }) => compareDotted(first, cuda) <= 0 && compareDotted(cuda, last) <= 0);
      if (!range) return [`${version} has no range`];
      const fits = (own: string | undefined, id: string) => own === undefined || range.sonames[id] === own;
      return fits(cudartSoname, "cudart") && fits(cuptiSoname, "cupti") ? [] : [`${version} has others than its minor`];
    }),
    ...ranges.flatMap(({ first }, index) =>
      index === 0 || compareDotted(ranges[index - 1]!.last, first) < 0 ? [] : [`the ranges overlap at ${first}`],
    ),
  ];
}

function builtFor(files: KnowledgeFiles): string[] {
  const architectures = architecturesOf(files);
  return [
    ...files["cuda-toolkits"].toolkits.flatMap(({ version, cuda, architectures: built = [] }) =>
      built.flatMap((sm) => {
        const found = architectures.get(sm) ?? architectures.get(plainSm(sm));
        const isOfItsTime =
          found && compareDotted(found.first, cuda) <= 0 && (found.last === undefined || compareDotted(cuda, found.last) <= 0);
        return isOfItsTime ? [] : [`${version} ${sm}`];
      }),
    ),
    ...files["cuda-toolkits"].architectures.flatMap(({ sm, first, last, firstDriver, lastDriver }) => [
      ...(last === undefined || compareDotted(first, last) <= 0 ? [] : [`${sm}: ${first} to ${last}`]),
      ...(firstDriver === undefined || lastDriver === undefined || firstDriver <= lastDriver ? [] : [`${sm}: drivers`]),
    ]),
  ];
}

function devices({ gpus }: KnowledgeFiles): string[] {
  const ranges = gpus.chips.flatMap(({ chip, ids }) => ids.map((id) => ({ chip, ends: id.split("-").map((end) => parseInt(end, 16)) })));
  ranges.sort((a, b) => a.ends[0]! - b.ends[0]!);
  return ranges.flatMap(({ chip, ends }, index) => [
    ...(ends[0]! <= ends.at(-1)! ? [] : [chip]),
    ...(index === 0 || ranges[index - 1]!.ends.at(-1)! < ends[0]! ? [] : [`${chip} and ${ranges[index - 1]!.chip}`]),
  ]);
}

export const lawsOfToolkits: Law[] = [
  { says: "versions of toolkits and of cuDNN can be read", broken: versions },
  { says: "driver floors rise with CUDA, and no toolkit has a driver below its predecessor's minor", broken: drivers },
  { says: "CUPTI's number, PTX and component versions never fall", broken: components },
  { says: "cuDNN's number is its version", broken: cudnnNumbers },
  { says: "cuDNN's layouts are known, and its toolkits are of its CUDA majors", broken: cudnnLayouts },
  { says: "every soname belongs to a known library", broken: sonames },
  { says: "the sonames of a toolkit are those of its minor", broken: sonamesOfMinors },
  { says: "what a wheel brings goes by the names of its files", broken: namesOfFiles },
  { says: "toolkits build exactly for the architectures of their time", broken: builtFor },
  {
    says: "every GPU has an architecture that some toolkit builds for",
    broken: (files) => {
      const architectures = architecturesOf(files);
      return [
        ...files.gpus.gpus.flatMap(({ name, sm, architecture }) => (architectures.get(sm)?.name === architecture ? [] : [name])),
        ...files.gpus.chips.flatMap(({ chip, sm }) => (architectures.has(sm) ? [] : [chip])),
      ];
    },
  },
  { says: "no PCI device belongs to two chips", broken: devices },
  {
    says: "the architectures of every build and every wheel are known",
    broken: (files) => {
      const architectures = architecturesOf(files);
      const all = [
        ...releasesIn(files).flatMap(({ row }) => ("architectures" in row ? (row.architectures as string[]) : [])),
        ...wheelsIn(files).flatMap(({ objects }) => Object.values(objects).flatMap((each) => each.architectures ?? [])),
      ];
      return [...new Set(all)].filter((name) => !architectures.has(plainSm(name)));
    },
  },
];
