// conda-lock.yml and pixi.lock: exact packages of several platforms; Linux on x86-64 counts.
import { normalName } from "../../lib/pep508.ts";
import { channelOf } from "../conda-spec.ts";
import { bareInstall } from "../packages.ts";
import type { Declaration, DeclaredPackage, DeclaredStep, Install } from "../../model/dependency-file.ts";
import { fields, finderOf, list, word } from "../finding-lines.ts";
import { placeAt } from "../lines.ts";
import { readYaml } from "../yaml.ts";
import { defineFormat, endsWith } from "../format.ts";

export default defineFormat({
  id: "conda-lock",
  words: "conda-lock.yml",
  place: 10,
  signs: [
    { by: "part of the name", after: ["dockerfile"], is: ({ name }) => /(^|[._-])conda-lock\.ya?ml$/.test(name) },
    {
      by: "text and ending",
      after: ["workflow"],
      is: ({ name, text }) => endsWith(".yml", ".yaml")(name) && /^package\s*:/m.test(text) && /^metadata\s*:/m.test(text),
    },
  ],
  read: readCondaLock,
  example: {
    file: "conda-lock.yml",
    text: "version: 1\nmetadata: {}\npackage:\n- name: pytorch\n  version: 2.4.1\n  manager: conda\n  platform: linux-64\n  category: main\n  url: https://conda.anaconda.org/pytorch/linux-64/pytorch-2.4.1-py3.11_cuda12.4_cudnn9.1.0_0.tar.bz2\n",
  },
});

function readCondaLock(text: string, file: string): Declaration {
  const root = fields(readYaml(text)) ?? {};
  const finder = finderOf(text, file);
  finder.seek(/^package\s*:/);
  const packages = list(root["package"]).flatMap((value): (Locked & { category: string })[] => {
    const entry = fields(value);
    const [name, version] = [word(entry?.["name"]), word(entry?.["version"])];
    if (name === undefined || version === undefined) return [];
    const place = finder.findLine(`name: ${name}`);
    // Names such as `__glibc` stand for what the system has.
    if (entry!["platform"] !== "linux-64" || name.startsWith("__")) return [];
    const manager = entry!["manager"] === "pip" ? "pip" : "conda";
    const category = word(entry!["category"]) ?? "main";
    return [{ ...locked(manager, name, version, word(entry!["url"]), word(entry!["build"]), place), category }];
  });
  // Without any option conda-lock installs what is for development, too.
  const categories = [...new Set(packages.map(({ category }) => category))].filter((each) => each !== "main" && each !== "dev").sort();
  const stepsFor = (wanted: string[]) =>
    stepsOf(
      packages.filter(({ category }) => wanted.includes(category)).map(({ category: _category, ...each }) => each),
      file,
    );
  const alternatives = [
    { name: "main and dev", steps: stepsFor(["main", "dev"]) },
    ...categories.map((category) => ({ name: `category ${category}`, steps: stepsFor(["main", "dev", category]) })),
  ];
  return { format: "conda-lock", file, steps: alternatives[0]!.steps, ...(1 < alternatives.length ? { alternatives } : {}), unknown: [] };
}

/** The address of a package says its build and its channel. */
function locked(
  manager: "pip" | "conda",
  name: string,
  version: string,
  url: string | undefined,
  given: string | undefined,
  place: DeclaredPackage["place"],
): Locked {
  const build = manager === "pip" ? undefined : (given ?? /-([^/-]+)\.(?:conda|tar\.bz2)$/.exec(url ?? "")?.[1]);
  const channel = manager === "pip" ? undefined : channelOf(url ?? "");
  return {
    manager,
    name: manager === "pip" ? normalName(name) : name,
    extras: [],
    specifier: `==${version}`,
    ...(build === undefined ? {} : { build }),
    ...(channel === undefined ? {} : { channel }),
    text: `${name} ${version}${build === undefined ? "" : ` ${build}`}`,
    place,
  };
}

export function readPixiLock(text: string, file: string): Declaration {
  const root = fields(readYaml(text)) ?? {};
  const finder = finderOf(text, file);
  // Each environment is a choice of its own; `default` is what counts without one.
  const environments = Object.entries(fields(root["environments"]) ?? {})
    .map(([name, value]) => ({ name, used: addresses(fields(fields(value)?.["packages"])?.["linux-64"]) }))
    .sort((a, b) => Number(b.name === "default") - Number(a.name === "default"));
  finder.seek(/^packages\s*:/);
  const packages = list(root["packages"]).flatMap((value): (Locked & { url: string })[] => {
    const entry = fields(value);
    const url = word(entry?.["conda"]) ?? word(entry?.["pypi"]) ?? word(entry?.["url"]);
    if (url === undefined || !environments.some(({ used }) => used.has(url))) return [];
    const place = finder.find(url);
    const isPip = entry!["pypi"] !== undefined || entry!["kind"] === "pypi";
    const [, fromUrl, versionOfUrl] = /\/([^/]+?)-([^/-]+)-[^/-]+\.(?:conda|tar\.bz2)$/.exec(url) ?? [];
    const [name, version] = [word(entry!["name"]) ?? fromUrl, word(entry!["version"]) ?? versionOfUrl];
    return name === undefined || version === undefined
      ? []
      : [{ ...locked(isPip ? "pip" : "conda", name, version, url, word(entry!["build"]), place), url }];
  });
  const alternatives = environments.map(({ name, used }) => ({
    name: `environment ${name}`,
    steps: stepsOf(
      packages.filter(({ url }) => used.has(url)).map(({ url: _url, ...each }) => each),
      file,
    ),
  }));
  return {
    format: "pixi-lock",
    file,
    steps: alternatives[0]?.steps ?? [],
    ...(1 < alternatives.length ? { alternatives } : {}),
    unknown: [],
  };
}

const addresses = (packages: unknown): Set<string> =>
  new Set(list(packages).flatMap((each) => word(fields(each)?.["conda"]) ?? word(fields(each)?.["pypi"]) ?? []));

type Locked = DeclaredPackage & { manager: "pip" | "conda" };

function stepsOf(packages: Locked[], file: string): DeclaredStep[] {
  const place = placeAt(file, 1);
  const install = (manager: "pip" | "conda"): Install => ({
    kind: "install",
    manager,
    packages: packages.filter((each) => each.manager === manager && each.name !== "python").map(({ manager: _manager, ...each }) => each),
    ...bareInstall(),
    isLocked: true,
    place,
  });
  const python = packages.find(({ manager, name }) => manager === "conda" && name === "python");
  return [
    ...(python ? [{ kind: "python", specifier: python.specifier, place: python.place } as const] : []),
    install("conda"),
    install("pip"),
  ];
}
