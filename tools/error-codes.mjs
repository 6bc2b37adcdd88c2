// Reads the tables of error codes from NVIDIA's own headers, which wheels on PyPI hold, and writes them into knowledge/error-codes.json.
// What a person wrote about a code (`meaning`, `means`) stays. `--file ENUM=PATH=SOURCE` reads a header that no wheel has (HIP, TensorRT).
//   node tools/error-codes.mjs
import { readFileSync, writeFileSync } from "node:fs";
import { filesOf, wheelMember, wheelName } from "./pypi.mjs";
import { knowledgeText } from "./refresh/write.mjs";

/** Which wheel has which header, and the enumerations in it; `row`: the releases of this numbering; `above`: only codes above this one are new in it. */
const headers = [
  { wheel: "nvidia-cuda-runtime-cu12", header: "driver_types.h", enums: { cudaError_t: "cudaError" }, row: { since: "10.1" } },
  { wheel: "nvidia-cuda-runtime-cu12", header: "cuda.h", enums: { CUresult: "cudaError_enum" } },
  { wheel: "nvidia-cuda-cupti-cu12", header: "cupti_result.h", enums: { CUptiResult: "" } },
  { wheel: "nvidia-nvml-dev-cu12", header: "nvml.h", enums: { nvmlReturn_t: "nvmlReturn_enum" } },
  { wheel: "nvidia-cudnn-cu12", header: "cudnn_graph.h", enums: { cudnnStatus_t: "" }, row: { since: "9.0" } },
  { wheel: "nvidia-cudnn-cu12", version: "8.9.7.29", header: "cudnn_ops_infer.h", enums: { cudnnStatus_t: "" }, row: { until: "8.9" } },
  { wheel: "nvidia-cublas-cu12", header: "cublas_api.h", enums: { cublasStatus_t: "" } },
  { wheel: "nvidia-cufft-cu12", header: "cufft.h", enums: { cufftResult_t: "cufftResult_t" } },
  { wheel: "nvidia-cusparse-cu12", header: "cusparse.h", enums: { cusparseStatus_t: "" } },
  { wheel: "nvidia-cusolver-cu12", header: "cusolver_common.h", enums: { cusolverStatus_t: "" } },
  { wheel: "nvidia-curand-cu12", header: "curand.h", enums: { curandStatus_t: "curandStatus" } },
  { wheel: "nvidia-nccl-cu12", header: "nccl.h", enums: { ncclResult_t: "" } },
  { wheel: "nvidia-cuda-nvrtc-cu12", header: "nvrtc.h", enums: { nvrtcResult: "" } },
  { wheel: "nvidia-nvjitlink-cu12", header: "nvJitLink.h", enums: { nvJitLinkResult: "" } },
  { wheel: "nvidia-nvjitlink", header: "nvJitLink.h", enums: { nvJitLinkResult: "" }, row: { since: "13.0" }, above: 9 },
];

/** Names and numbers of a C enumeration: by the name before its brace, or by the one behind it. */
export function valuesOf(header, enumeration, tag) {
  const plain = header.replace(/\/\*[\s\S]*?\*\//g, " ").replace(/\/\/[^\n]*/g, " ");
  const before = tag === "" ? undefined : new RegExp(`\\benum\\s+(?:class\\s+)?(?:\\w+\\s+)?${tag}\\b[^{;]*\\{([^}]*)\\}`).exec(plain)?.[1];
  const body = before ?? new RegExp(`\\benum\\b[^{;]*\\{([^}]*)\\}\\s*${enumeration}\\s*;`).exec(plain)?.[1];
  if (body === undefined) throw new Error(`there is no enumeration ${enumeration}`);
  const values = new Map();
  let next = 0;
  // What stands behind a macro that nobody defines is no code yet.
  const compiled = body.replace(/^[ \t]*#[ \t]*ifdef\b[^]*?^[ \t]*#[ \t]*endif\b.*$/gm, "").replace(/^[ \t]*#.*$/gm, "");
  for (const entry of compiled.split(",")) {
    const [, name, given] = /^\s*([A-Za-z]\w+)[^=]*?(?:=\s*([-\w()]+))?\s*$/.exec(entry) ?? [];
    if (name === undefined) continue;
    next = given === undefined ? next : (values.get(given) ?? Number(given.replace(/[()]/g, "")));
    if (Number.isNaN(next)) throw new Error(`${enumeration}: ${entry.trim()}`);
    // What only forces the size of the type is no code.
    if (!/_FORCE_INT$|^hipErrorTbd$|NumResults$/.test(name)) values.set(name, next);
    next += 1;
  }
  return values;
}

async function newest(name, version) {
  const wheels = (await filesOf(name)).filter((file) => /manylinux.*x86_64/.test(file.name) && !file.yanked);
  const key = (file) =>
    wheelName(file.name)
      .version.split(".")
      .map((part) => part.padStart(6, "0"))
      .join(".");
  const found = wheels
    .filter((file) => version === undefined || wheelName(file.name).version === version)
    .sort((a, b) => (key(a) < key(b) ? -1 : 1))
    .at(-1);
  if (!found) throw new Error(`PyPI has no wheel of ${name} ${version ?? ""}`);
  return found;
}

async function main() {
  const path = "knowledge/error-codes.json";
  const file = JSON.parse(readFileSync(path, "utf8"));
  const today = new Date().toISOString().slice(0, 10);
  const take = (enumeration, values, source, era = {}, above = -1) => {
    const key = Object.entries(file.sources).find(([, text]) => text === source)?.[0] ?? `s${Object.keys(file.sources).length + 2}`;
    file.sources[key] = source;
    for (const [name, code] of values) {
      if (code <= above) continue;
      const row = file.codes.find(
        (each) => each.enum === enumeration && each.name === name && each.since === era.since && each.until === era.until,
      );
      if (row && row.code !== code) throw new Error(`${name} was ${row.code}, and is ${code}`);
      if (row) Object.assign(row, { source: [...new Set([row.source, key].flat())], checked: today });
      else file.codes.push({ enum: enumeration, code, name, ...era, source: key, checked: today });
    }
  };
  for (const { wheel, version, header, enums, row, above } of headers) {
    const found = await newest(wheel, version);
    const text = await wheelMember(found.url, new RegExp(`(?:^|/)include/${header.replace(".", "\\.")}$`));
    if (text === undefined) throw new Error(`${found.name} has no ${header}`);
    for (const [enumeration, tag] of Object.entries(enums))
      take(enumeration, valuesOf(text, enumeration, tag), `wheel ${found.name} (${header})`, row, above);
    console.log(`${header} of ${found.name}`);
  }
  for (const given of process.argv.flatMap((word, at) => (word === "--file" ? [process.argv[at + 1]] : []))) {
    const [enumeration, from, source] = given.split("=");
    take(enumeration, valuesOf(readFileSync(from, "utf8"), enumeration, enumeration.split("::").at(-1)), source);
  }
  file.codes.sort((a, b) => (a.enum < b.enum ? -1 : a.enum > b.enum ? 1 : a.code - b.code));
  writeFileSync(path, knowledgeText(file));
}

await main();
