// How long `culprit check` takes for dependency files: requirements beside `uv pip compile --offline` with a warm cache (--uv FILE, or uv
// on PATH; the first round fills the cache and needs the network), and a Dockerfile of 10,000 lines and a notebook of 5,000 cells. Medians
// of interleaved rounds.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { cli, node, race, seconds } from "./race.mjs";

const { values: options } = parseArgs({
  options: { uv: { type: "string", default: "uv" }, cache: { type: "string" }, rounds: { type: "string", default: "7" } },
});
const rounds = Number(options.rounds);
const made = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-bench-"));
const write = (name, text) => {
  const file = path.join(made, name);
  fs.writeFileSync(file, text);
  return file;
};
const check = (file) => () => seconds(process.execPath, [cli, "check", file, "--python-version", "3.12"]);

const requirements = {
  "torch, pinned": ["torch==2.5.1", "torchvision==0.20.1", "torchaudio==2.5.1"],
  "frameworks, in ranges": ["torch>=2.4,<2.8", "tensorflow>=2.17,<2.20", "jax[cuda12]>=0.4.30,<0.7", "onnxruntime-gpu>=1.19", "numpy<2.2"],
  "a service": [
    "torch>=2.5,<2.9",
    "transformers>=4.40,<5",
    "accelerate>=0.30",
    "diffusers>=0.30",
    "safetensors",
    "sentencepiece",
    "einops",
    "numpy>=1.26,<2.3",
    "pillow",
    "scipy",
    "scikit-learn",
    "pandas",
    "fastapi",
    "uvicorn",
    "pydantic>=2",
    "requests",
    "httpx",
    "tqdm",
    "pyyaml",
    "rich",
    "click",
    "typer",
    "jinja2",
    "redis",
    "sqlalchemy",
    "alembic",
    "boto3",
    "prometheus-client",
    "pytest",
    "ruff",
  ],
};
const cache = options.cache ?? path.join(made, "cache");
const compile = (file, ...more) => [
  "pip",
  "compile",
  "--quiet",
  "--no-build",
  "--python-version",
  "3.12",
  "--python-platform",
  "x86_64-manylinux_2_28",
  "--cache-dir",
  cache,
  "--output-file",
  path.join(made, "compiled.txt"),
  "--upgrade",
  ...more,
  file,
];
for (const [name, lines] of Object.entries(requirements)) {
  const file = write(`${name.replaceAll(/\W+/g, "-")}.requirements.txt`, `${lines.join("\n")}\n`);
  // Where the network asks for more than a PATH, such as certificates, the caller has it.
  const warmed = spawnSync(options.uv, compile(file), { encoding: "utf8" });
  const times = race(`${name} (${lines.length} lines)`, rounds, {
    "node -e 0": node,
    "culprit check": check(file),
    ...(warmed.status === 0 ? { "uv pip compile --offline": () => seconds(options.uv, compile(file, "--offline")) } : {}),
  });
  const beside = times["uv pip compile --offline"];
  console.log(
    beside === undefined
      ? `  no uv to compare with: ${warmed.error?.message ?? warmed.stderr.trim().split("\n").at(-1)}`
      : `  culprit takes ${(times["culprit check"] / beside).toFixed(2)} times as long as uv (aim: 1.5)`,
  );
}

const dockerfile = [
  "FROM nvidia/cuda:12.4.1-cudnn-runtime-ubuntu22.04",
  ...Array.from({ length: 1_666 }, (_, index) => [
    `# step ${index}`,
    `ARG OPTION_${index}=value-${index}`,
    `ENV SETTING_${index}=\${OPTION_${index}}`,
    `RUN apt-get update && apt-get install -y package-${index} \\`,
    "    && rm -rf /var/lib/apt/lists/*",
    index % 10 === 0 ? `RUN pip install --no-cache-dir package-${index}==1.${index}` : `COPY part-${index} /app/part-${index}`,
  ]).flat(),
  "RUN pip install torch==2.5.1 torchvision==0.20.1",
];
const notebook = {
  nbformat: 4,
  nbformat_minor: 5,
  metadata: { kernelspec: { name: "python3", display_name: "Python 3", language: "python" } },
  cells: Array.from({ length: 5_000 }, (_, index) =>
    index % 5 === 0
      ? { cell_type: "markdown", metadata: {}, source: [`## Step ${index}\n`, "\n", "What is done, and why.\n"] }
      : {
          cell_type: "code",
          metadata: {},
          execution_count: index,
          outputs: [{ output_type: "stream", name: "stdout", text: [`step ${index}\n`] }],
          source: [
            index % 100 === 1 ? `!pip install -q package-${index}==1.0\n` : `import package_${index}\n`,
            `value_${index} = package_${index}.run(${index})\n`,
            `print(value_${index})`,
          ],
        },
  ),
};
for (const [name, file] of [
  [`a Dockerfile of ${dockerfile.length} lines`, write("Dockerfile", `${dockerfile.join("\n")}\n`)],
  [`a notebook of ${notebook.cells.length} cells`, write("notebook.ipynb", JSON.stringify(notebook, undefined, 1))],
]) {
  const times = race(name, rounds, { "node -e 0": node, "culprit check": check(file) });
  console.log(`  ${(times["culprit check"] * 1000).toFixed(0)} ms (aim: under 1000)`);
}
fs.rmSync(made, { recursive: true });
