// What would be installed, for people: `culprit list FILE`.
import type { Build } from "../builds/build.ts";
import type { Installation } from "./install.ts";
import { gpuBuilds } from "./builds.ts";
import { systemWords } from "./colab.ts";
import type { InstallContext } from "./context.ts";
import { folded } from "../lib/lines.ts";
import { placeWords } from "../lib/place.ts";
import { reporting } from "../lib/shown.ts";
import { namesOf } from "../model/frameworks.ts";

export interface Predicted {
  schema: "culprit/foreseen@1";
  /** The base image or runtime, as it is named. */
  base?: string;
  /** CUDA and cuDNN of the base, outside of Python, where they are known. */
  system?: string;
  python?: string;
  packages: { name: string; version?: string; specifier?: string; build?: string; manager: string; isAssumed: boolean; place?: string }[];
  frameworks: ForeseenFramework[];
  /** What extras, groups and other choices bring beside. */
  alternatives?: { name: string; frameworks: ForeseenFramework[] }[];
}

interface ForeseenFramework {
  name: string;
  version: string;
  variant?: string;
  cuda?: string;
  cudnn?: string;
}

export function predicted({ installation, image, baseName, systemPackages }: InstallContext): Predicted {
  const base = baseName ?? image?.name;
  const builds = gpuBuilds(installation);
  return {
    schema: "culprit/foreseen@1",
    ...(base === undefined ? {} : { base }),
    ...(systemPackages ? { system: systemWords(systemPackages) } : {}),
    ...(installation.python === undefined ? {} : { python: installation.python }),
    packages: [...installation.packages.values()]
      .filter(({ step, asked, build, name }) => asked || build || step === 0 || name.startsWith("nvidia-") || namesOf(name))
      .map(({ name, version, variant, label = variant, ownVersion, manager, isAssumed, asked, place }) => ({
        name,
        ...(version === undefined
          ? ownVersion === undefined
            ? {}
            : { version: ownVersion }
          : { version: `${version}${label === undefined ? "" : `+${label}`}` }),
        ...(version !== undefined || asked === undefined || asked.specifier === "" ? {} : { specifier: asked.specifier }),
        ...(asked?.build === undefined ? {} : { build: asked.build }),
        manager,
        isAssumed,
        ...(asked ? { place: placeWords(place) } : {}),
      })),
    frameworks: builds.map(({ installed: { version, variant }, framework, build }) => {
      const wheel = cudnnOf(installation, build.cuda?.version);
      const major = cudnnMajor(build);
      // The wheel that a neighbour brought serves only who was built for its major.
      const cudnn = build.inside?.cudnn ?? (major === undefined || wheel?.startsWith(`${major}.`) ? wheel : undefined);
      return {
        name: framework,
        version: version!,
        ...(variant === undefined ? {} : { variant }),
        ...(build.cuda ? { cuda: build.cuda.version } : {}),
        ...(cudnn === undefined ? {} : { cudnn }),
      };
    }),
  };
}

function cudnnMajor(build: Build): string | undefined {
  const named = build.onPath().flatMap((soname) => /^libcudnn\.so\.(\d+)/.exec(soname)?.[1] ?? []);
  const pinned = build
    .needs()
    .flatMap(({ name, specifier }) => (name.startsWith("nvidia-cudnn-") ? (/(?:>=|==|~=)(\d+)/.exec(specifier)?.[1] ?? []) : []));
  return named[0] ?? pinned[0];
}

const cudnnOf = ({ packages }: Installation, cuda: string | undefined) =>
  cuda === undefined ? undefined : packages.get(`nvidia-cudnn-cu${cuda.split(".")[0]}`)?.version;

const frameworkLine = ({ name, version, variant, cuda, cudnn }: ForeseenFramework) =>
  `${name} ${version}${variant === undefined ? "" : `+${variant}`}${cuda === undefined ? "" : `, for CUDA ${cuda}`}${cudnn === undefined ? "" : `, with cuDNN ${cudnn}`}`;

/** Frameworks that only a choice brings, under the first that does. */
export function withAlternatives(first: Predicted, others: { name: string; predicted: Predicted }[]): Predicted {
  const known = new Set(first.frameworks.map(frameworkLine));
  const alternatives = others.flatMap(({ name, predicted: { frameworks } }) => {
    const added = frameworks.filter((each) => !known.has(frameworkLine(each)));
    for (const each of added) known.add(frameworkLine(each));
    return added.length === 0 ? [] : [{ name, frameworks: added }];
  });
  return alternatives.length === 0 ? first : { ...first, alternatives };
}

export const predictedReport = reporting((given: Predicted, width: number = Infinity): string => {
  const { base, system, python, packages, frameworks, alternatives = [] } = given;
  const lines: string[] = [];
  if (base !== undefined) lines.push(`base: ${base}${system === undefined ? "" : `, ${system}`}`);
  lines.push(`Python: ${python ?? "not specified"}`);
  lines.push(...frameworks.map(frameworkLine));
  for (const { name, frameworks: own } of alternatives)
    lines.push(...own.map((each) => `${name.startsWith("where ") ? "" : "with "}${name}: ${frameworkLine(each)}`));
  if (0 < packages.length) lines.push("", "packages that would be there:");
  for (const { name, version, specifier, build, manager, isAssumed, place } of packages) {
    const how = [
      ...(isAssumed && version !== undefined ? [place === undefined ? "brought along" : "newest that fits"] : []),
      ...(build === undefined ? [] : [build]),
      ...(manager === "pip" || (manager === "image" && base !== undefined) ? [] : [manager]),
      ...(place === undefined ? [] : [place]),
    ];
    lines.push(
      `  ${name} ${version ?? (specifier === undefined ? "(any version)" : `(${specifier})`)}${how.length === 0 ? "" : `  ${how.join(", ")}`}`,
    );
  }
  return `${lines.flatMap((line) => folded(line, width)).join("\n")}\n`;
});
