import { countedApart, type Copy, type InstalledFramework, type Inventory } from "../model/inventory.ts";
import { reporting } from "../lib/shown.ts";
import { columns, count, plain, type Style } from "./style.ts";

/** One calm page: what is there, and per framework what it was compiled for and would load. */
export const listReport = reporting((inventory: Inventory, style: Style = plain): string => {
  const { driver, gpus, toolkits, environments, frameworks, copies, variables, missing } = inventory;
  const lines: string[] = [];
  const section = (title: string, rows: string[][], nothing: string) => {
    lines.push(style.strong(title), ...(0 < rows.length ? columns(rows, "  ") : [`  ${style.faint(nothing)}`]), "");
  };

  const driverRows: string[][] = [];
  if (driver.kernel !== undefined)
    driverRows.push(["kernel", `${driver.kernel}${driver.module === undefined ? "" : ` (${driver.module})`}`]);
  for (const { file, version, stub } of copies.filter(({ library }) => library === "libcuda"))
    driverRows.push(["libcuda", `${file}${stub ? "  a stub, not a driver" : version === undefined ? "" : `  ${version}`}`]);
  if (driver.profilingAdminOnly !== undefined)
    driverRows.push([
      "profiling",
      driver.profilingAdminOnly ? `for administrators only${driver.mayProfile ? ", which this process is" : ""}` : "for everybody",
    ]);
  if (driver.wsl) driverRows.push(["WSL2", "the driver is that of Windows"]);
  // What an image requires ends with a long list of exceptions for drivers of data centres.
  if (driver.container)
    driverRows.push(["container", driver.requires === undefined ? "yes" : `its image requires ${driver.requires.split(" ")[0]}`]);
  section("Driver", driverRows, "none found");
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

  for (const framework of frameworks) lines.push(...frameworkLines(framework, style), "");
  const others = copies.filter(({ library }) => library !== "libcuda");
  const used = new Set(
    frameworks.flatMap(({ wouldLoad }) =>
      Object.values(wouldLoad)
        .flat()
        .map(({ file }) => file),
    ),
  );
  section(
    `Library copies (${others.length})`,
    others.map((copy) => [copy.library, versionText(copy), copy.file, ownerText(copy), used.has(copy.file) ? "would be loaded" : ""]),
    "none found",
  );
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
  return `${lines.join("\n").trimEnd()}\n`;
});

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
  if (0 < rows.length) lines.push(...columns([["", "compiled for", "would load", "from"], ...rows], "  "));
  for (const { message } of failures) lines.push(`  ${style.bad("✗")} ${message}`);
  return lines;
}
