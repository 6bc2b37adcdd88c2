// Snapshots of really different roots for `bench/fleet.mjs --snapshots DIR`: environments from PyPI, each on a base system of Debian or
// Ubuntu, pushed with `culprit push --root` to a server of its own and read back from it. Needs debootstrap, uv, root and the network; some
// sixty gigabytes go by, and ten are held at most.
// `node bench/fleet-roots.mjs --to DIR [--scratch DIR] [--only torch]`; build first.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { startServer } from "./fleet-server.mjs";

const { values } = parseArgs({
  options: { to: { type: "string" }, scratch: { type: "string" }, only: { type: "string", default: "" } },
});
if (values.to === undefined) throw new Error("--to DIR says where the snapshots go");
const to = path.resolve(values.to);
const scratch = path.resolve(values.scratch ?? fs.mkdtempSync(path.join(os.tmpdir(), "fleet-roots-")));
fs.mkdirSync(to, { recursive: true });
fs.mkdirSync(scratch, { recursive: true });

/** Base systems, with the Python that each brings. */
const bases = {
  focal: { python: "3.8", from: "http://archive.ubuntu.com/ubuntu" },
  bullseye: { python: "3.9", from: "http://deb.debian.org/debian" },
  jammy: { python: "3.10", from: "http://archive.ubuntu.com/ubuntu" },
  bookworm: { python: "3.11", from: "http://deb.debian.org/debian" },
  trixie: { python: "3.13", from: "http://deb.debian.org/debian" },
};

/** What people install, and where; neighbours share wheels. */
const environments = [
  ["bullseye", ["cupy-cuda11x==12.3.0"]],
  ["jammy", ["cupy-cuda11x==13.3.0", "nvidia-cuda-nvrtc-cu11"]],
  ["bookworm", ["cupy-cuda12x==13.3.0"]],
  ["jammy", ["cupy-cuda12x==13.3.0", "nvidia-cuda-nvrtc-cu12==12.4.127"]],
  ["trixie", ["cupy-cuda12x==13.6.0", "nvidia-cuda-nvrtc-cu12", "nvidia-cuda-runtime-cu12"]],
  ["trixie", ["cupy-cuda13x"]],
  ["focal", ["onnxruntime-gpu==1.16.3"]],
  ["bullseye", ["onnxruntime-gpu==1.18.1"]],
  ["bookworm", ["onnxruntime-gpu==1.18.1", "nvidia-cudnn-cu12==8.9.7.29", "nvidia-cublas-cu12"]],
  ["bookworm", ["onnxruntime-gpu==1.19.2", "nvidia-cudnn-cu12==9.1.0.70"]],
  ["jammy", ["onnxruntime-gpu==1.20.2"]],
  ["trixie", ["onnxruntime-gpu==1.22.0", "nvidia-cudnn-cu12", "nvidia-cuda-runtime-cu12", "nvidia-cufft-cu12"]],
  ["bookworm", ["ctranslate2==4.4.0", "nvidia-cublas-cu12==12.4.5.8", "nvidia-cudnn-cu12==8.9.7.29"]],
  ["jammy", ["ctranslate2==4.5.0", "nvidia-cublas-cu12", "nvidia-cudnn-cu12==9.1.0.70"]],
  ["bookworm", ["faster-whisper==1.1.0"]],
  ["bullseye", ["xgboost==2.1.4"]],
  ["trixie", ["xgboost==3.0.5", "numba-cuda"]],
  ["jammy", ["numba==0.60.0", "numba-cuda==0.4.0", "nvidia-cuda-nvcc-cu12"]],
  ["focal", ["cupy-cuda11x==12.3.0"]],
  ["bookworm", ["cupy-cuda11x==13.3.0"]],
  ["bookworm", ["cupy-cuda12x==12.3.0", "nvidia-cuda-nvrtc-cu12==12.1.105"]],
  ["jammy", ["cupy-cuda12x==13.6.0", "nvidia-cuda-runtime-cu12==12.6.77"]],
  ["bookworm", ["cupy-cuda13x", "nvidia-cuda-nvrtc"]],
  ["bookworm", ["onnxruntime-gpu==1.17.1"]],
  ["jammy", ["onnxruntime-gpu==1.23.2"]],
  ["trixie", ["onnxruntime-gpu==1.22.0"]],
  ["bullseye", ["ctranslate2==3.24.0"]],
  ["trixie", ["ctranslate2==4.6.0"]],
  ["bookworm", ["numba==0.61.2", "numba-cuda==0.10.1"]],
  ["trixie", ["numba-cuda", "cuda-bindings", "nvidia-nvjitlink-cu12", "nvidia-cuda-nvrtc-cu12==12.8.93"]],
  ["bookworm", ["triton==3.1.0"]],
  ["trixie", ["triton==3.3.1"]],
  ["jammy", ["xgboost==2.0.3", "nvidia-ml-py"]],
  ["bookworm", ["jax==0.4.30", "jax-cuda12-plugin==0.4.30", "jax-cuda12-pjrt==0.4.30", "jaxlib==0.4.30", "--no-deps"]],
  ["jammy", ["jax==0.4.30", "jax-cuda12-plugin==0.4.35", "jax-cuda12-pjrt==0.4.35", "jaxlib==0.4.35", "--no-deps"]],
  ["focal", ["cupy-cuda12x==12.3.0"]],
  ["bullseye", ["cupy-cuda12x==13.3.0", "nvidia-cuda-runtime-cu12==12.1.105"]],
  ["bookworm", ["cupy-cuda12x==13.6.0"]],
  ["jammy", ["cupy-cuda13x"]],
  ["trixie", ["cupy-cuda12x==13.4.1"]],
  ["bookworm", ["ctranslate2==4.5.0"]],
  ["jammy", ["ctranslate2==4.4.0", "nvidia-cuda-runtime-cu12==12.4.127"]],
  ["bullseye", ["numba==0.60.0"]],
  ["bookworm", ["numba-cuda==0.4.0", "nvidia-cuda-runtime-cu12==12.4.127"]],
  ["focal", ["xgboost==2.1.4"]],
  ["jammy", ["triton==3.2.0"]],
  ["bookworm", ["triton==3.3.1"]],
  ["trixie", ["triton==3.4.0", "cupy-cuda12x==13.6.0"]],
  ["bullseye", ["torch==2.0.1", "--no-deps"]],
  ["jammy", ["torch==2.4.1", "torchvision==0.18.1", "--no-deps"]],
  ["trixie", ["torch==2.6.0", "nvidia-cuda-runtime-cu12==12.4.127", "--no-deps"]],
  ["focal", ["tensorflow==2.13.1"]],
  ["bullseye", ["tensorflow==2.12.1", "nvidia-cudnn-cu11==8.6.0.163"]],
  ["bullseye", ["tensorflow[and-cuda]==2.15.1"]],
  ["jammy", ["tensorflow[and-cuda]==2.16.2"]],
  ["bookworm", ["tensorflow[and-cuda]==2.17.1"]],
  ["bookworm", ["tensorflow[and-cuda]==2.18.1"]],
  ["jammy", ["tensorflow[and-cuda]==2.19.1"]],
  ["trixie", ["tensorflow[and-cuda]==2.20.0"]],
  ["bullseye", ["jax[cuda12]==0.4.30"]],
  ["jammy", ["jax[cuda12]==0.4.35"]],
  ["bookworm", ["jax[cuda12]==0.5.3"]],
  ["trixie", ["jax[cuda12]==0.6.2"]],
  ["trixie", ["jax[cuda13]"]],
  ["focal", ["torch==1.13.1"]],
  ["focal", ["torch==2.1.2", "torchvision==0.16.2"]],
  ["bullseye", ["torch==2.1.2", "xformers==0.0.23.post1"]],
  ["jammy", ["torch==2.2.2", "torchvision", "torchaudio"]],
  ["jammy", ["torch==2.2.2", "onnxruntime-gpu==1.18.1"]],
  ["bookworm", ["torch==2.3.1", "bitsandbytes==0.43.3"]],
  ["bookworm", ["torch==2.3.1", "nvidia-cudnn-cu12==9.1.0.70", "--no-deps"]],
  ["jammy", ["torch==2.4.1", "torchvision", "cupy-cuda12x==13.3.0"]],
  ["bookworm", ["torch==2.4.1", "nvidia-nccl-cu12==2.18.1", "--no-deps"]],
  ["bookworm", ["torch==2.5.1", "torchvision", "torchaudio"]],
  ["bookworm", ["torch==2.5.1", "tensorflow==2.18.1"]],
  ["trixie", ["torch==2.6.0"]],
  ["jammy", ["torch==2.6.0", "xformers==0.0.29.post3"]],
  ["trixie", ["torch==2.7.1", "torchvision"]],
  ["bookworm", ["torch==2.7.1", "jax[cuda12]==0.6.2"]],
  ["trixie", ["torch==2.8.0", "onnxruntime-gpu==1.22.0"]],
  ["bookworm", ["torch==2.8.0"]],
  ["trixie", ["torch==2.9.1", "torchvision"]],
  ["bookworm", ["torch==2.9.1", "nvidia-cudnn-cu12==9.8.0.87", "--no-deps"]],
  ["trixie", ["torch==2.10.0"]],
  ["trixie", ["torch"]],
  ["bookworm", ["torch", "tensorflow[and-cuda]==2.18.1"]],
];

const called = ([base, wanted]) =>
  `${base}-${wanted
    .filter((each) => !each.startsWith("--"))
    .map((each) => each.replace(/\[.*?\]/, "").replace("==", "-"))
    .join("-")}`.slice(0, 100);

function baseOf(name) {
  const folder = path.join(scratch, `base-${name}`);
  if (!fs.existsSync(`${folder}/usr/bin/python3`)) {
    fs.rmSync(folder, { recursive: true, force: true });
    execFileSync("debootstrap", ["--variant=minbase", "--no-check-gpg", "--include=python3,libgomp1", name, folder, bases[name].from], {
      stdio: "ignore",
    });
    fs.rmSync(`${folder}/var/cache/apt`, { recursive: true, force: true });
  }
  return folder;
}

/** A venv as `python3 -m venv` lays it out, with what uv resolves for that Python. */
function install(root, python, wanted) {
  const venv = `${root}/opt/venv`;
  fs.rmSync(venv, { recursive: true, force: true });
  fs.mkdirSync(`${venv}/bin`, { recursive: true });
  fs.symlinkSync("/usr/bin/python3", `${venv}/bin/python3`);
  fs.symlinkSync("python3", `${venv}/bin/python`);
  fs.writeFileSync(`${venv}/pyvenv.cfg`, `home = /usr/bin\ninclude-system-site-packages = false\nversion = ${python}.0\n`);
  const site = `${venv}/lib/python${python}/site-packages`;
  const platform = ["--python-version", python, "--python-platform", "x86_64-manylinux_2_28", "--only-binary", ":all:"];
  execFileSync("uv", ["pip", "install", "--quiet", "--target", site, "--cache-dir", `${scratch}/uv`, ...platform, ...wanted], {
    stdio: ["ignore", "ignore", "pipe"],
    cwd: scratch,
  });
}

const sizeOf = (folder) => (fs.existsSync(folder) ? Number(execFileSync("du", ["-sm", folder], { encoding: "utf8" }).split("\t")[0]) : 0);

const server = await startServer(`${scratch}/fleet`, [], { ...process.env, DATABASE_URL: "" });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));
const { address, token } = server;
const env = { ...process.env, NO_COLOR: "1", CULPRIT_FLEET_URL: address, CULPRIT_FLEET_TOKEN: token };

for (const each of environments) {
  const [base, wanted] = each;
  const name = called(each);
  const file = path.join(to, `${name}.json.gz`);
  if (fs.existsSync(file) || !name.includes(values.only)) continue;
  const begin = performance.now();
  try {
    const root = baseOf(base);
    install(root, bases[base].python, wanted);
    const size = sizeOf(`${root}/opt/venv`);
    execFileSync(process.execPath, ["packages/cli/bin/culprit.cjs", "push", "--root", root, "--name", name, "--group", base], { env });
    const response = await fetch(`${address}/api/v1/nodes/${encodeURIComponent(name)}/snapshot`, {
      // What was kept open has been closed over there while we were busy.
      headers: { authorization: `Bearer ${token}`, connection: "close" },
    });
    if (!response.ok) throw new Error(String(response.status));
    const text = await response.text();
    fs.writeFileSync(`${file}.part`, gzipSync(text));
    fs.renameSync(`${file}.part`, file);
    fs.rmSync(`${root}/opt/venv`, { recursive: true, force: true });
    console.log(`${name}: ${size} MB, ${(text.length / 1e6).toFixed(1)} MB of facts, ${((performance.now() - begin) / 1000).toFixed(0)} s`);
  } catch (error) {
    console.log(
      `${name}: left out: ${String(error.stderr ?? `${error.message} ${error.cause ?? ""}`)
        .trim()
        .split("\n")
        .slice(-3)
        .join(" ")}`,
    );
  }
  if (10_000 < sizeOf(`${scratch}/uv`)) fs.rmSync(`${scratch}/uv`, { recursive: true, force: true });
}
await server.stop();
