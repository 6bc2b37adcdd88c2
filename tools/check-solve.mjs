// Compares what `culprit solve` answers with what uv (or, with --pip, pip) resolves from PyPI: every version that it names must be
// the one that the real tool picks. Needs the network; `node tools/check-solve.mjs [--pip] [--only N,…]`. Not part of the tests.
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";

const { values: options } = parseArgs({ options: { pip: { type: "boolean" }, only: { type: "string" } } });
const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const [uv, pip] = [process.env.UV ?? "uv", process.env.PIP ?? "pip"];
const temporary = mkdtempSync(join(tmpdir(), "check-solve-"));
process.on("exit", () => rmSync(temporary, { recursive: true, force: true }));

const requests = [
  ["tensorflow==2.10.*", "torch", "gpu=RTX 4090", "driver==535"],
  ["torch"],
  ["torch", "driver==535.104.05"],
  ["torch", "driver==470.57.02", "gpu=T4"],
  ["torch==2.4.*"],
  ["torch", "gpu=V100"],
  ["torch", "gpu=RTX 5090", "driver==570.124.06"],
  ["torch", "python==3.9"],
  ["torch", "torchvision", "torchaudio"],
  ["torch==2.1.*", "torchvision", "python==3.11"],
  ["tensorflow"],
  ["tensorflow>=2.15", "gpu=T4"],
  ["tensorflow==2.12.*"],
  ["tensorflow==2.14.*", "driver==470.57.02"],
  ["tensorflow==2.16.1"],
  ["tensorflow", "cudnn<9"],
  ["jax"],
  ["jax", "driver==535"],
  ["jax", "gpu=V100", "driver==535"],
  ["jax", "python==3.10"],
  ["jax==0.4.35"],
  ["jax", "cuda==12.4.*"],
  ["cupy"],
  ["cupy<14", "cuda==12.*"],
  ["cupy-cuda11x"],
  ["onnxruntime-gpu"],
  ["onnxruntime-gpu==1.18.*"],
  ["onnxruntime-gpu", "cudnn<9"],
  ["onnxruntime-gpu", "cuda==12.*", "torch"],
  ["torch", "jax"],
  ["torch", "jax", "driver==535"],
  ["torch", "tensorflow"],
  ["torch", "tensorflow", "jax", "driver==550.54.15"],
  ["jax", "tensorflow", "python==3.12"],
  ["torch", "cupy", "gpu=H200"],
  ["torch==2.8.*", "numpy<2", "cupy"],
  ["cuda==12.*", "cudnn<9"],
  ["cudnn", "gpu=V100"],
  ["cuda"],
];

const wanted = options.only?.split(",").map(Number);
let failures = 0;
for (const [number, request] of requests.entries()) {
  if (wanted && !wanted.includes(number)) continue;
  const started = performance.now();
  const solution = JSON.parse(await solved(request));
  const took = Math.round(performance.now() - started);
  const answer = solution.answers.find(({ packages }) => packages.every(({ index }) => index === undefined));
  const text = request.join(" ");
  if (!answer) {
    const why = solution.conflict
      ? `conflict of ${solution.conflict.requirements.map(({ requirement }) => requirement).join(" + ")}`
      : "only with another index";
    console.log(`-- ${number} ${text}: ${why} (${took} ms)`);
    continue;
  }
  const command = answer.lines.find(({ tool }) => tool === "pip").commands.find((line) => line.startsWith("pip install "));
  const words = [...command.slice("pip install ".length).matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare);
  try {
    const resolved = options.pip ? await byPip(words, answer.python) : await byUv(words, answer.python);
    const named = { cuda: "cuda-toolkit", cudnn: undefined, cupy: undefined };
    const claims = [
      ...answer.packages.map(({ name, version }) => [name in named ? named[name] : name, version]),
      ...answer.libraries.map(({ name, version }) => [name, version]),
    ];
    const wrong = claims.filter(([name, version]) => name !== undefined && resolved.get(name) !== version);
    if (0 < wrong.length) failures += 1;
    const shown = answer.packages.filter(({ name }) => !/^jax(lib|-)/.test(name)).map(({ name, version }) => `${name} ${version}`);
    console.log(
      `${wrong.length === 0 ? "ok" : "WRONG"} ${number} ${text} → ${shown.join(", ")}, Python ${answer.python}, ${answer.certainty}; ${claims.length} versions agree of ${resolved.size} (${took} ms)`,
    );
    for (const [name, version] of wrong) console.log(`     ${name}: said ${version}, resolved ${resolved.get(name)}`);
  } catch (error) {
    failures += 1;
    console.log(
      `FAILED ${number} ${text}: ${words.join(" ")} on ${answer.python}\n     ${String(error.stderr ?? error)
        .trim()
        .split("\n")
        .slice(-6)
        .join("\n     ")}`,
    );
  }
}
process.exit(failures === 0 ? 0 : 1);

async function solved(request) {
  try {
    return (await promisify(execFile)(process.execPath, [cli, "solve", ...request, "--json"], { env: { PATH: process.env.PATH } })).stdout;
  } catch (error) {
    if (error.code === 1) return error.stdout;
    throw error;
  }
}

async function byUv(words, python) {
  const file = join(temporary, "requirements.in");
  writeFileSync(file, `${words.join("\n")}\n`);
  const args = ["pip", "compile", "--quiet", "--no-header", "--no-annotate", "--only-binary", ":all:", "--python-version", python];
  const { stdout } = await promisify(execFile)(uv, [...args, "--python-platform", "x86_64-manylinux_2_31", file], { maxBuffer: 1 << 24 });
  return new Map(stdout.split("\n").flatMap((line) => (/^[\w.-]+==/.test(line) ? [line.trim().split("==")] : [])));
}

async function byPip(words, python) {
  const report = join(temporary, "report.json");
  const platforms = ["manylinux1", "manylinux2010", "manylinux2014", ...[17, 24, 25, 27, 28, 31].map((minor) => `manylinux_2_${minor}`)];
  execFileSync(
    pip,
    [
      "install",
      "--dry-run",
      "--quiet",
      "--use-feature=fast-deps",
      "--only-binary=:all:",
      "--target",
      temporary,
      "--python-version",
      python,
      "--report",
      report,
      ...platforms.flatMap((tag) => ["--platform", `${tag}_x86_64`]),
      ...words,
    ],
    { stdio: ["ignore", "ignore", "pipe"], encoding: "utf8" },
  );
  return new Map(
    JSON.parse(readFileSync(report, "utf8")).install.map(({ metadata }) => [
      metadata.name.toLowerCase().replace(/[-_.]+/g, "-"),
      metadata.version,
    ]),
  );
}
