// conda-lock.yml and pixi.lock: exact packages of several platforms; Linux on x86-64 counts.
import { bareInstall } from "../packages.ts";
import type { Declaration, DeclaredPackage, DeclaredStep, Install } from "../../model/declaration.ts";
import { fields, finderOf, list, word } from "../finding-lines.ts";
import { placeAt } from "../lines.ts";
import { readYaml } from "../yaml.ts";

export function readCondaLock(text: string, file: string): Declaration {
  const root = fields(readYaml(text)) ?? {};
  const finder = finderOf(text, file);
  finder.seek(/^package\s*:/);
  const packages = list(root["package"]).flatMap((value): Locked[] => {
    const entry = fields(value);
    const [name, version] = [word(entry?.["name"]), word(entry?.["version"])];
    if (name === undefined || version === undefined) return [];
    const place = finder.find(`name: ${name}`);
    if (entry!["platform"] !== "linux-64" || entry!["optional"] === true) return [];
    return [
      {
        manager: entry!["manager"] === "pip" ? "pip" : "conda",
        name,
        extras: [],
        specifier: `==${version}`,
        text: `${name} ${version}`,
        place,
      },
    ];
  });
  return { format: "conda-lock", file, steps: stepsOf(packages, file), unknown: [] };
}

export function readPixiLock(text: string, file: string): Declaration {
  const root = fields(readYaml(text)) ?? {};
  const finder = finderOf(text, file);
  const environments = fields(root["environments"]) ?? {};
  const chosen = fields(environments["default"]) ?? fields(Object.values(environments)[0]) ?? {};
  const used = new Set(
    list(fields(chosen["packages"])?.["linux-64"]).flatMap((each) => word(fields(each)?.["conda"]) ?? word(fields(each)?.["pypi"]) ?? []),
  );
  finder.seek(/^packages\s*:/);
  const packages = list(root["packages"]).flatMap((value): Locked[] => {
    const entry = fields(value);
    const url = word(entry?.["conda"]) ?? word(entry?.["pypi"]) ?? word(entry?.["url"]);
    if (url === undefined || !used.has(url)) return [];
    const place = finder.find(url);
    const isPip = entry!["pypi"] !== undefined || entry!["kind"] === "pypi";
    const [, fromUrl, versionOfUrl] = /\/([^/]+?)-([^/-]+)-[^/-]+\.(?:conda|tar\.bz2)$/.exec(url) ?? [];
    const [name, version] = [word(entry!["name"]) ?? fromUrl, word(entry!["version"]) ?? versionOfUrl];
    return name === undefined || version === undefined
      ? []
      : [{ manager: isPip ? "pip" : "conda", name, extras: [], specifier: `==${version}`, text: `${name} ${version}`, place }];
  });
  return { format: "pixi-lock", file, steps: stepsOf(packages, file), unknown: [] };
}

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
