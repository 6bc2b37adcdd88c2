import { readdirSync, writeFileSync } from "node:fs";
import { test } from "vitest";
import { contextOf } from "../packages/core/src/log/context.ts";
import { factsOf } from "../packages/core/src/log/fact.ts";
import { dumps, signatures } from "../packages/core/src/log/index.generated.ts";
import { logReader } from "../packages/core/src/log/read.ts";
const folder = "packages/core/src/log/causes";
const befores = ["", "kernel 6.6.87.2-microsoft-standard-WSL2", "docker run --gpus all image", "C:\\Users\\me>python", "Jetson Orin", "OS: macOS 14.1 (arm64)",
 "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |", "PyTorch 2.1.0 built with CUDA 12.1", "torch 2.4.1+cpu", "GPU 0: NVIDIA GeForce RTX 5090",
 "TensorFlow 2.4 (CUDA 11.0)", "Cuda compilation tools, release 11.3, V11.3.109", "export LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64:/usr/local/cuda/lib64/stubs",
 ">>> torch.cuda.is_available()\nFalse", "/usr/local/cuda-11.8/lib64/libcudart.so.11.0", "in Google Colab", "AMD Radeon RX 6800", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  Tue Jun  6 22:20:39 UTC 2023"];
const read = (text: string) => { const r = logReader(); r.push(new TextEncoder().encode(text)); const f = factsOf(r.end().facts); return [f, contextOf(f)] as const; };
test("gen", async () => {
  const steps = await Promise.all(readdirSync(folder).map(async (f) => [f.replace(".ts",""), (await import(`../${folder}/${f}`)).default] as const));
  const rows: any = Object.fromEntries(steps.map(([n]) => [n, new Map()]));
  const examples = [...new Set([...signatures, ...dumps].flat().flatMap((s: any) => s.examples))] as string[];
  for (const before of befores) for (const e of examples) {
    const text = before ? `${before}\n${e}` : e;
    const [facts, context] = read(text);
    for (const [n, step] of steps) for (const p of step(facts, context)) if (p.suspects.length) {
      // One row a problem of its own: by what is said first, and all causes in order.
      const key = p.suspects.map((s: any) => s.cause).join(" > ") + "|" + p.suspects.map((s:any)=>s.message.replace(/`[^`]*`|\d[\d.]*/g,"")).join("|");
      if (!rows[n].has(key)) rows[n].set(key, [text, p.suspects.map((s: any) => s.cause).join(" > ")]);
    }
  }
  for (const [n, map] of Object.entries<any>(rows)) {
    if (map.size === 0) { console.log("none", n); continue; }
    const lines = [...map.values()].map(([t, c]: any) => `  [${JSON.stringify(c)}, ${JSON.stringify(t)}],`).join("\n");
    writeFileSync(`tests/log/causes/${n}.test.ts`, `import step from "../../../packages/core/src/log/causes/${n}.ts";\nimport { holds } from "./holds.ts";\n\nholds(step, [\n${lines}\n]);\n`);
    console.log(n, map.size);
  }
});
