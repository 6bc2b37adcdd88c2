import { countedApart, type Copy, type InstalledFramework, type Inventory } from "../model/inventory.ts";
import { few, listed } from "./affected.ts";
import { reporting } from "../lib/shown.ts";
import { columns, count, laidOut, plain, type Style } from "./style.ts";

/** One calm page: a summary, what is there, and per framework what it was compiled for and would load. */
export const listReport = reporting((inventory: Inventory, style: Style = plain): string => {
  const { gpus, toolkits, environments, frameworks, copies, variables, missing } = inventory;
  const lines: string[] = [...summaryLines(inventory, style), ""];
  const section = (title: string, rows: string[][], nothing: string) => {
    lines.push(style.strong(title), ...(0 < rows.length ? columns(rows, "  ", style) : [`  ${style.faint(nothing)}`]), "");
  };
  section("Driver", driverRows(inventory), "none found");
  section(
    "GPUs",
    gpus.map(({ name, architecture, bus }) => [name, architecture ?? "", bus ?? ""]),
    "none seen",
  );
  section(
    "CUDA toolkits",
    toolkits.map(({ path, names, version, onPath }) => [
      version ?? "?",
      path,
      [...(names.length === 0 ? [] : [`also ${names.join(", ")}`]), ...(onPath ? ["its nvcc is first on PATH"] : [])].join("; "),
    ]),
    "none found",
  );
  section(
    "Python environments",
    environments.map(({ prefix, kind, version, packages }) => [prefix, `${kind}, Python ${version}`, count(packages.length, "package")]),
    "none found",
  );
  const { apart, alike } = byWhatTheyLoad(frameworks);
  for (const framework of apart) lines.push(...frameworkLines(framework, style), "");
  for (const [environment, names] of alike)
    lines.push(`${style.strong(listed(few(names)))} in ${environment}: no copy that is not among these`, "");
  const others = copies.filter(({ library }) => library !== "libcuda");
  section(`Library copies (${others.length})`, copyRows(others, frameworks), "none found");
  if (0 < missing.length) {
    const rows = missing.map((found) => [
      found.package,
      found.environment,
      `${found.files[0]}${1 < found.files.length ? ` and ${found.files.length - 1} more` : ""}`,
    ]);
    section("Installed files that are not there", rows, "");
  }
  if (0 < variables.length)
    section(
      "Where variables are set",
      variables.map(({ name, file, line, text }) => [name, `${file}:${line}`, text]),
      "",
    );
  return laidOut(lines.slice(0, -1), style);
});

/** What stands upon a framework mostly loads what that does: such are named together, after those that bring something. */
function byWhatTheyLoad(frameworks: InstalledFramework[]): { apart: InstalledFramework[]; alike: Map<string, string[]> } {
  const seen = new Map<string, Set<string>>();
  const alike = new Map<string, string[]>();
  const weight = ({ compiledFor, wouldLoad }: InstalledFramework) =>
    Object.keys(compiledFor).length * 1000 + Object.values(wouldLoad).flat().length;
  // Of two that load the same, the one with more to tell comes first.
  const apart = new Set(frameworks);
  for (const each of frameworks.toSorted((one, other) => weight(other) - weight(one))) {
    const { environment, framework, version, wouldLoad, verdict, cpuOnly } = each;
    const known = seen.get(environment) ?? new Set();
    seen.set(environment, known);
    const files = Object.values(wouldLoad).flatMap((loads) => loads.map(({ file }) => file));
    if (verdict === "works" && cpuOnly === undefined && 0 < known.size && files.every((file) => known.has(file))) {
      apart.delete(each);
      alike.set(environment, [...(alike.get(environment) ?? []), `${framework} ${version}`]);
    }
    for (const file of files) known.add(file);
  }
  return { apart: [...apart], alike };
}

/** What most people want to know, in a few lines. */
function summaryLines({ driver, gpus, toolkits, environments, copies, frameworks }: Inventory, style: Style): string[] {
  const names = [...new Set(gpus.map(({ name }) => name))].map((name) => {
    const number = gpus.filter((each) => each.name === name).length;
    return number === 1 ? name : `${number} × ${name}`;
  });
  const toolkit = toolkits.find(({ onPath }) => onPath) ?? toolkits[0];
  const others = copies.filter(({ library }) => library !== "libcuda").length;
  const parts = [
    driver.kernel === undefined ? "no driver seen" : `driver ${driver.kernel}`,
    names.length === 0 ? "no GPU seen" : names.join(", "),
    toolkit
      ? `CUDA toolkit ${toolkit.version ?? "of unknown version"}${toolkits.length === 1 ? "" : ` and ${toolkits.length - 1} more`}`
      : "no CUDA toolkit",
    count(environments.length, "Python environment"),
    count(others, "copy", "copies") + " of GPU libraries",
  ];
  const rows = frameworks.map(({ framework, package: name, version, environment, cpuOnly, compiledFor, verdict }) => [
    `${verdict === "stops" ? style.bad("✗") : " "} ${name === framework ? framework : name} ${version}`,
    cpuOnly === undefined ? builtFor(compiledFor) : "built without CUDA",
    environment,
  ]);
  return [style.strong(parts.join(" · ")), ...columns(rows, "  ", style)];
}

const builtFor = (compiledFor: InstalledFramework["compiledFor"]): string => {
  const told = [
    ["CUDA", compiledFor["cuda"] ?? compiledFor["cudart"]],
    ["cuDNN", compiledFor["cudnn"]],
  ] as const;
  const words = told.flatMap(([name, library]) => (library ? [`${name} ${library.version}`] : []));
  return words.length === 0 ? "" : `for ${words.join(", ")}`;
};

function driverRows({ driver, copies }: Inventory): string[][] {
  const rows: string[][] = [];
  if (driver.kernel !== undefined) rows.push(["kernel", `${driver.kernel}${driver.module === undefined ? "" : ` (${driver.module})`}`]);
  for (const { file, version, stub } of copies.filter(({ library }) => library === "libcuda"))
    rows.push(["libcuda", `${file}${stub ? "  a stub, not a driver" : version === undefined ? "" : `  ${version}`}`]);
  if (driver.profilingAdminOnly !== undefined)
    rows.push([
      "profiling",
      driver.profilingAdminOnly ? `for administrators only${driver.mayProfile ? ", which this process is" : ""}` : "for everybody",
    ]);
  if (driver.wsl) rows.push(["WSL2", "the driver is that of Windows"]);
  // What an image requires ends with a long list of exceptions for drivers of data centres.
  if (driver.container)
    rows.push(["container", driver.requires === undefined ? "yes" : `its image requires ${driver.requires.split(" ")[0]}`]);
  return rows;
}

function copyRows(copies: Copy[], frameworks: InstalledFramework[]): string[][] {
  const used = new Map<string, Set<string>>();
  for (const { framework, wouldLoad } of frameworks)
    for (const { file } of Object.values(wouldLoad).flat()) used.set(file, (used.get(file) ?? new Set()).add(framework));
  return copies.map((copy) => {
    const by = [...(used.get(copy.file) ?? [])];
    return [copy.library, versionText(copy), copy.file, ownerText(copy), by.length === 0 ? "" : `${few(by).join(", ")} would load it`];
  });
}

/** The version, and what another piece of evidence says instead. */
function versionText({ library, version, evidence }: Copy): string {
  const other = countedApart.has(library) ? undefined : evidence.find((piece) => !agree(piece.version, version!));
  return `${version ?? "?"}${other ? ` (${other.version} by its ${other.how})` : ""}`;
}

/** One may say more than the other: 13.1.0 and 13.1.0.3. */
function agree(one: string, another: string): boolean {
  const [parts, others] = [one.split("."), another.split(".")];
  return parts.every((part, index) => index >= others.length || Number(part) === Number(others[index]));
}

const ownerText = ({ owner }: Copy) => (owner ? `${owner.kind} ${owner.name}` : "");

function frameworkLines(
  { framework, package: name, version, environment, cpuOnly, compiledFor, wouldLoad, verdict, failures }: InstalledFramework,
  style: Style,
): string[] {
  const title = name === framework ? `${framework} ${version}` : `${framework} (${name} ${version})`;
  const lines = [`${style.strong(title)} in ${environment}${verdict === "stops" ? `: ${style.bad("something stops it")}` : ""}`];
  const libraries = [...new Set([...Object.keys(compiledFor), ...Object.keys(wouldLoad)])].sort();
  const rows = libraries.map((library) => {
    const loads = wouldLoad[library] ?? [];
    const [first] = loads;
    const more = 1 < loads.length ? ` and ${loads.length - 1} more` : "";
    return [library, compiledFor[library]?.version ?? "", first?.version ?? (first ? "?" : ""), first ? `${first.file}${more}` : ""];
  });
  if (cpuOnly !== undefined) lines.push(`  built without CUDA: ${cpuOnly}`);
  else if (rows.length === 0) lines.push(`  ${style.faint("it asks for no GPU library")}`);
  if (0 < rows.length) lines.push(...columns([["", "compiled for", "would load", "from"], ...rows], "  ", style));
  for (const { message } of failures) lines.push(`  ${style.bad("✗")} ${message}`);
  return lines;
}
