// How long `culprit solve` takes from start to end, beside the start of node: requests that have an answer, and some that have none.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";

const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
if (!fs.existsSync(cli)) {
  console.error("dist/cli.js is not there: run `npm run build`");
  process.exit(2);
}
const requests = [
  ["tensorflow==2.10.*", "torch", "--gpu", "RTX 4090", "--driver", "535"],
  ["torch", "--gpu", "T4", "--driver", "535"],
  ["jax==0.4.35", "tensorflow==2.17.*", "--gpu", "A100", "--driver", "550"],
  ["torch", "tensorflow", "jax", "cupy", "onnxruntime-gpu", "--gpu", "T4", "--driver", "535"],
  ["torch", "tensorflow", "jax", "cupy", "onnxruntime-gpu", "cudnn<9", "--gpu", "T4", "--driver", "535"],
];

function milliseconds(args) {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { env: { PATH: process.env.PATH }, encoding: "utf8" });
  if (1 < (status ?? 2)) throw new Error(stderr);
  return performance.now() - start;
}

// The least of several: what else the machine does only ever adds.
const least = (args) => Math.min(...Array.from({ length: 7 }, () => milliseconds(args)));

console.log(`${least(["-e", "0"]).toFixed(0).padStart(6)} ms  node -e 0`);
for (const request of requests)
  console.log(
    `${least([cli, "solve", ...request])
      .toFixed(0)
      .padStart(6)} ms  culprit solve ${request.join(" ")}`,
  );
