// An environment from PyPI, made with uv or, where that is not at hand, with pip.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";

/** Most releases of the last years have wheels for the first of these. */
const versions = ["3.11", "3.12", "3.10", "3.13", "3.14", "3.9", "3.8"];

const onPath = (name) =>
  (process.env.PATH ?? "")
    .split(":")
    .map((folder) => `${folder}/${name}`)
    .find(existsSync);

/** Executables of a Python, the real ones first: a shim of pyenv leads elsewhere in another folder. */
function pythons(version) {
  const root = process.env.PYENV_ROOT ?? `${homedir()}/.pyenv`;
  const own = existsSync(`${root}/versions`) ? readdirSync(`${root}/versions`) : [];
  const built = own.filter((name) => name.startsWith(`${version}.`)).map((name) => `${root}/versions/${name}/bin/python${version}`);
  return [...built, onPath(`python${version}`)].filter((file) => file !== undefined && existsSync(file));
}

function run(command, args) {
  const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8", stdio: ["ignore", "ignore", "pipe"], maxBuffer: 1 << 26 });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

/** What an installer said, without the names of machines and folders. */
const reasonOf = (text) =>
  text
    .split("\n")
    .map((line) => line.replace(/^[\s×│╰─▶error:ERROR]+/, "").trim())
    .find((line) => /no (matching|wheels|solution)|not (satisfy|found)|unsatisfiable|only has/i.test(line))
    ?.slice(0, 200) ?? text.split("\n").at(-1).slice(0, 200);

/** Makes it in this folder, with the first Python that takes the requirements; gives its Python, or why there is none. */
export function makeEnvironment(folder, requirements, { python, before } = {}) {
  const uv = process.env.UV ?? onPath("uv");
  const problems = [];
  for (const version of python === undefined ? versions : [python]) {
    const [base] = pythons(version);
    if (base === undefined) continue;
    const problem = uv
      ? (run(uv, ["venv", "--quiet", "--clear", "--python", base, folder]) ??
        run(uv, [
          "pip",
          "install",
          "--quiet",
          "--only-binary",
          ":all:",
          "--python",
          `${folder}/bin/python`,
          ...(before ? ["--exclude-newer", before] : []),
          ...requirements,
        ]))
      : (run(base, ["-m", "venv", "--clear", folder]) ??
        run(`${folder}/bin/python`, ["-m", "pip", "install", "--quiet", "--no-cache-dir", "--only-binary", ":all:", ...requirements]));
    if (problem === undefined) return { python: `${folder}/bin/python`, version };
    problems.push(`Python ${version}: ${reasonOf(problem)}`);
  }
  return { problem: problems.join("; ") || `there is no Python ${python ?? versions.join(", ")} here` };
}

/** Installed distributions with their versions, and where they lie. */
export function installedIn(python) {
  const program =
    "import importlib.metadata as m, json, sysconfig\n" +
    'print(json.dumps({"folder": sysconfig.get_path("purelib"), "packages": {d.metadata["Name"].lower().replace("_", "-"): d.version for d in m.distributions()}}))';
  return JSON.parse(execFileSync(python, ["-I", "-c", program], { encoding: "utf8" }));
}
