// Laws of frameworks' releases, their wheels, and errors.
import { comparePythonVersions, parsePythonVersion } from "../../lib/pep440.ts";
import type { Pins } from "../../model/knowledge.ts";
import { compareDotted } from "../dotted.ts";
import { releasesIn, twice, wheelsIn, type KnowledgeFiles, type Law } from "./law.ts";

const pinsOf = (row: unknown) => (row as { pins?: Pins }).pins ?? {};

function versions(files: KnowledgeFiles): string[] {
  return [
    ...releasesIn(files).flatMap(({ id, row }) => [
      ...(parsePythonVersion(row.version) ? [] : [`${id} ${row.version}`]),
      ...["cuda", "cudnn", "nccl"].flatMap((field) => {
        const written = (row as unknown as { [field: string]: string | string[] | undefined })[field];
        return [written ?? []]
          .flat()
          .filter((text) => !/^\d+(\.\d+)*(\.x)?$/.test(text))
          .map((text) => `${id} ${row.version}: ${field} is ${text}`);
      }),
    ]),
    ...wheelsIn(files).flatMap(({ version, wheel }) => (parsePythonVersion(version) ? [] : [wheel])),
  ];
}

function pins(files: KnowledgeFiles): string[] {
  const known = new Set(files.packages.packages.filter(({ ecosystem }) => ecosystem === "pypi").map(({ name }) => name));
  const others = /^(triton|tensorrt|tensorrt-.*|cuda-tile|jaxlib|cuda-pathfinder)$/;
  return releasesIn(files).flatMap(({ id, row }) =>
    Object.entries(pinsOf(row)).flatMap(([name, specifier]) => {
      const place = `${id} ${row.version}: ${name}${specifier}`;
      const bound = (operator: RegExp) => specifier.split(",").flatMap((clause) => operator.exec(clause)?.[1] ?? []);
      const isEmpty = bound(/^>=?(.*)/).some((low) => bound(/^<=?(.*)/).some((high) => 0 <= comparePythonVersions(low, high)));
      return [
        ...(known.has(name.replace(/\[.*/, "")) || others.test(name) ? [] : [`${place}: no such package is known`]),
        ...(/^((~=|==|!=|<=|>=|<|>)[\w.!+*]+(,(?!$)|$))*$/.test(specifier) && !isEmpty ? [] : [place]),
      ];
    }),
  );
}

function torchPins(files: KnowledgeFiles): string[] {
  return files["frameworks/torch"].releases.flatMap((row) => {
    const place = `torch ${row.version} ${row.variant}`;
    const wrong = (field: "cudnn" | "nccl") => {
      const pin = Object.entries(pinsOf(row)).find(([name]) => name.startsWith(`nvidia-${field}-cu`))?.[1];
      return pin?.startsWith("==") && row[field] !== undefined && pin !== `==${row[field]}` ? [`${place}: ${field}${pin}`] : [];
    };
    return [
      ...wrong("cudnn"),
      ...wrong("nccl"),
      ...(row.variant.slice(2) === row.cuda.replace(".", "") ? [] : [`${place} is built with CUDA ${row.cuda}`]),
      ...(row.bundled && 0 < Object.keys(pinsOf(row)).length ? [`${place} brings its libraries and pins them, too`] : []),
    ];
  });
}

function wheelNames(files: KnowledgeFiles): string[] {
  return releasesIn(files).flatMap(({ id, row }) =>
    (row.wheels ?? []).flatMap(({ wheel, version, package: name }) => {
      const isNamed = wheel
        .toLowerCase()
        .replace(/_/g, "-")
        .startsWith(`${name}-${version.replace(/_/g, "-")}`);
      return version.startsWith(row.version) && isNamed ? [] : [`${id} ${row.version}: ${wheel}`];
    }),
  );
}

function mainObjects({ wheels }: KnowledgeFiles): string[] {
  return wheels.wheels.flatMap((wheel) =>
    Object.values(wheel.objects)
      // CUPTI and NVVM count on their own.
      .filter(({ version, library }) => version !== undefined && library !== "cupti" && library !== "nvvm")
      .flatMap(({ version }) => (`${wheel.version}.`.startsWith(`${version}.`) ? [] : [`${wheel.wheel}: its code says ${version}`])),
  );
}

function errors({ "error-codes": file }: KnowledgeFiles): string[] {
  if (!file) return [];
  return [
    ...file.codes.flatMap(({ enum: name, code, since, until }) =>
      since !== undefined && until !== undefined && 0 < compareDotted(since, until) ? [`${name} ${code}`] : [],
    ),
    ...file.texts.flatMap(({ enum: name, code, text }) =>
      name !== "cudaError_t" || file.codes.some((each) => each.enum === name && each.code === code) ? [] : [text],
    ),
  ];
}

export const lawsOfFrameworks: Law[] = [
  { says: "versions of frameworks and wheels can be read", broken: versions },
  { says: "every pin names a known package, with a specifier that can be met", broken: pins },
  { says: "a release pins the cuDNN and NCCL that it says it was built with", broken: torchPins },
  {
    says: "one variant of a release is the default, at most",
    broken: (files) => twice(files["frameworks/torch"].releases.filter((row) => row.default).map(({ version }) => version)),
  },
  { says: "a wheel is of its release, and its file is named after it", broken: wheelNames },
  { says: "the version that a main object's code tells is its package's", broken: mainObjects },
  {
    says: "JAX's checks are explained",
    broken: ({ "frameworks/jax": { releases, checks = [] } }) =>
      releases.flatMap(({ version, check }) => (check === undefined || checks.some(({ id }) => id === check) ? [] : [version])),
  },
  { says: "an error has one name, and eras of one numbering do not overlap", broken: errors },
];
