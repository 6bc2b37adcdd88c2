import { once } from "../../lib/memo.ts";
import { isCertain, sourcesOf } from "../../knowledge/certainty.ts";
import { torch } from "../../knowledge/texts/torch.generated.ts";
import { comparePythonVersions } from "../../lib/pep440.ts";
import { parseRequirement } from "../../lib/pep508.ts";
import type { Torch, TorchRelease } from "../../model/knowledge.ts";
import { builtReleases, needsOf, pythonsOf, type Build, type BuiltRelease, type Need } from "../../builds/build.ts";
import { defineBuilds, type InstalledByConda } from "../../builds/framework-builds.ts";
import names from "./names.ts";
import { frameworkRelease } from "../../knowledge/frameworks.ts";
import { isAmong } from "../../model/frameworks.ts";

export default defineBuilds({
  id: "torch",
  releases: torchReleases,
  asPip: torchReleasesAndCpu,
  alwaysWithCuda: true,
  wheel: "torch",
  distributions: ["torch"],
  installed: (release, { variant, packages }) => {
    const build = release?.builds().find((each) => (variant === undefined ? !each.index : each.variant === variant));
    const whole = build && wholeWheel(build);
    // Nothing of NVIDIA's comes along: it is the wheel that has all of it inside.
    return whole && !packages.some((name) => isAmong(name, ["nvidia-*"])) ? whole : build;
  },
  installedByConda: ofConda,
});

/** Each release as PyPI has it, and the builds for other CUDAs that PyTorch's own index has. */
function torchReleases(): BuiltRelease[] {
  const file = torch();
  return builtReleases("torch", (release) => {
    const needs = once(() => needsOf("torch", release));
    const pythons = pythonsOf(release);
    const rows = file.releases.filter(({ version }) => version === release.version).sort((a, b) => Number(b.default) - Number(a.default));
    return rows.map((row) =>
      row.default ? fromPypi(file, row, release.version, needs, pythons) : fromIndex(file, row, release.version, needs, pythons),
    );
  });
}

/** Before 2.2 the build that PyPI has is on PyTorch's own index as well, with its label and with the libraries of NVIDIA inside. */
function wholeWheel(build: Build): Build | undefined {
  const file = torch();
  const row = file.releases.find((each) => each.labelledBundled && each.version === build.version && each.variant === build.variant);
  if (!row || build.index) return undefined;
  return {
    ...build,
    install: `torch==${build.version}+${build.variant}`,
    index: { option: "--extra-index-url", url: `${names.labelled.index}/${build.variant}` },
    needs: once(() => build.needs().filter(({ name }) => name === "triton" || !isAmong(name, names.labelled.varies))),
    inside: row.cudnn === undefined ? {} : { cudnn: row.cudnn },
  };
}

/** The same with the builds without CUDA, which nobody who asks for a GPU wants. */
function torchReleasesAndCpu(): BuiltRelease[] {
  return torchReleases().map(({ version, builds, ...rest }) => ({
    ...rest,
    version,
    builds: once(() => {
      const plain = builds().find(({ index }) => !index);
      if (!plain) return builds();
      const whole = wholeWheel(plain) ?? [];
      const { cuda: _cuda, architectures: _architectures, inside: _inside, ...rest } = plain;
      const needs = once(() => plain.needs().filter(({ name }) => !isAmong(name, names.labelled.varies)));
      const index = { option: "--extra-index-url" as const, url: `${names.labelled.index}/cpu` };
      return [...builds(), ...[whole].flat(), { ...rest, variant: "cpu", install: `torch==${version}+cpu`, index, needs }];
    }),
  }));
}

function shared(file: Torch, row: TorchRelease): Pick<Build, "cuda" | "architectures" | "onPath"> & { doubts: string[] } {
  const name = `torch ${row.version} for CUDA ${row.cuda}`;
  const doubts: string[] = [];
  if (row.architectures && !isCertain(row, "architectures")) doubts.push(`the architectures of ${name}`);
  return {
    cuda: { version: row.cuda, source: sourcesOf(file, row, "cuda")[0] ?? "memory" },
    ...(row.architectures
      ? { architectures: { list: row.architectures, source: sourcesOf(file, row, "architectures")[0] ?? "memory" } }
      : {}),
    onPath: () => [],
    doubts,
  };
}

function fromPypi(file: Torch, row: TorchRelease, version: string, needs: () => Need[], pythons: string[]): Build {
  return {
    package: "torch",
    version,
    variant: row.variant,
    install: `torch==${version}`,
    pythons,
    needs,
    ...shared(file, row),
    ...(row.bundled ? { inside: row.cudnn === undefined ? {} : { cudnn: row.cudnn } } : {}),
  };
}

// The wheels of the other index ask for the same packages, but for those of NVIDIA.
function fromIndex(file: Torch, row: TorchRelease, version: string, needs: () => Need[], pythons: string[]): Build {
  const facts = shared(file, row);
  const name = `torch ${version}+${row.variant}`;
  if (!isCertain(row, "bundled") || (!row.bundled && (row.pins === undefined || !isCertain(row, "pins"))))
    facts.doubts.push(`what ${name} requires`);
  facts.doubts.push(`the Pythons that ${name} is built for`);
  const source = sourcesOf(file, row, "pins")[0] ?? "memory";
  return {
    package: "torch",
    version,
    variant: row.variant,
    install: `torch==${version}+${row.variant}`,
    index: { option: "--extra-index-url", url: `${names.labelled.index}/${row.variant}` },
    pythons,
    needs: once(() => {
      const others = needs().filter((need) => !isAmong(need.name, names.labelled.varies));
      const { pins, isGuessed } = row.bundled ? { pins: {}, isGuessed: false } : pinsOf(file, row);
      const own = Object.entries(pins).flatMap(([needed, specifier]) => asNeed(`${needed}${specifier}`, source));
      return [...others, ...(isGuessed ? own.map((need) => ({ ...need, isGuessed: true as const })) : own)];
    }),
    ...facts,
    ...(row.bundled ? { inside: row.cudnn === undefined ? {} : { cudnn: row.cudnn } } : {}),
  };
}

// Builds for one CUDA pin the libraries of one of its patches, mostly the same from release to release, but for cuDNN and NCCL.
function pinsOf(file: Torch, row: TorchRelease): { pins: { [name: string]: string }; isGuessed: boolean } {
  if (row.pins !== undefined && 0 < Object.keys(row.pins).length) return { pins: row.pins, isGuessed: !isCertain(row, "pins") };
  const alike = file.releases.filter(({ cuda, pins }) => cuda === row.cuda && pins && 3 < Object.keys(pins).length);
  const nearest = alike.findLast(({ version }) => comparePythonVersions(version, row.version) <= 0) ?? alike[0];
  const major = row.cuda.split(".")[0];
  const pins = Object.fromEntries(
    Object.entries(nearest?.pins ?? { [`nvidia-cudnn-cu${major}`]: "" }).flatMap(([name, specifier]) => {
      if (/cudnn/.test(name)) return [[name, row.cudnn === undefined ? specifier : `==${row.cudnn}`]];
      if (/nccl/.test(name)) return [[name, row.nccl === undefined ? "" : `==${row.nccl}`]];
      return [[name, specifier]];
    }),
  );
  return { pins, isGuessed: true };
}

// The list may leave the parts of the toolkit out; they are the same in every release.
const toolkitParts = ["cublas", "cudart", "cufft", "cufile", "cupti", "curand", "cusolver", "cusparse", "nvjitlink", "nvrtc", "nvtx"];

function asNeed(text: string, source: string): Need[] {
  const read = parseRequirement(text);
  if ("problem" in read) return [];
  const { name, specifier, extras } = read;
  return [{ name, specifier, extras: name === "cuda-toolkit" && extras.length === 0 ? toolkitParts : extras, source }];
}

/** The builds of the channel pytorch are those of the wheels. */
function ofConda({ channel, version, cuda }: InstalledByConda): Pick<Build, "architectures"> | undefined {
  const variant = `cu${cuda.replace(".", "")}`;
  const known = channel === "pytorch" ? frameworkRelease("torch", version, variant) : undefined;
  const architectures = known?.exact && known.release.variant === variant ? known.release.architectures : undefined;
  return (
    architectures && { architectures: { list: architectures, source: sourcesOf(torch(), known!.release, "architectures")[0] ?? "memory" } }
  );
}
