import { expect, test } from "vitest";
import { checkMarkdown, type Snapshot } from "../../packages/core/src/index.ts";
import { hostileNames, withName } from "./hostile.ts";
import { h200, judge, mixedCudnn, settled, withSetter } from "./judged.ts";

const judgement = await judge(withSetter, mixedCudnn);

test("an issue gets the finding, what it breaks, why, what to do, and the machine", async () => {
  const report = await checkMarkdown(judgement);
  expect(report.split("\n").slice(0, 15).join("\n")).toBe(`\
### \`culprit check\`: 1 error

#### ❌ torch will fail at LSTM and GRU layers: cuDNN 9.19.0 with parts of 9.14.0

- **fix**
  - take \`/usr/lib/x86_64-linux-gnu\` out of \`LD_LIBRARY_PATH\`, in \`/etc/profile.d/cuda.sh\`, line 3
  - for one command: \`env -u LD_LIBRARY_PATH COMMAND\`
- **because**
  - cuDNN 9.19.0 of the wheel nvidia-cudnn-cu13 would run on parts of cuDNN 9.14.0, such as \`/usr/lib/x86_64-linux-gnu/libcudnn_graph.so.9.14.0\`
  - \`libcudnn.so.9\` opens \`libcudnn_graph.so.9\` by name, and \`LD_LIBRARY_PATH\` goes before RUNPATH, \`ld.so.cache\` and the system folders
  - \`LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu\`, set in \`/etc/profile.d/cuda.sh:3\`
- **breaks** torch (rnn)
- **may break** jax (convolution, rnn); torch (convolution)
- **error** \`cuDNN version incompatibility: PyTorch was compiled  against (9, 19, 0) but found runtime version (9, 14, 0).\`
- **rule** \`cudnn-parts-from-two-releases\``);
  expect(report).toContain("- driver: 580.159.04 ");
  expect(report).toContain("- GPUs: NVIDIA H200 (`sm_90`)");
  expect(report).toContain("cudnn for 9.19.0.56, loads 9.19.0.56 and 9.14.0");
});

test("a healthy machine says so", async () => {
  const { check, stack } = await judge(h200);
  expect(await checkMarkdown({ check: settled({ ...check, unknown: [] }), stack })).toMatch(/^### `culprit check`: nothing wrong found\n/);
});

// The environment of the case, in somebody's home.
function moved(snapshot: Snapshot, to: string): Snapshot {
  const text = JSON.stringify({ ...snapshot, files: undefined }).replaceAll("/opt/torch", to);
  const files = Object.fromEntries(
    Object.entries(snapshot.files).map(([path, fact]) => [
      path.replace("/opt/torch", to),
      JSON.parse(JSON.stringify(fact).replaceAll("/opt/torch", to)) as typeof fact,
    ]),
  );
  for (let folder = to; folder !== ""; folder = folder.slice(0, folder.lastIndexOf("/"))) files[folder] ??= { kind: "folder" };
  return { ...(JSON.parse(text) as Snapshot), files };
}

test("names of people, hosts and home folders are replaced, the same everywhere", async () => {
  const home = moved(withSetter, "/home/anna.schmidt/work");
  const answer = await judge(home, mixedCudnn, { python: ["/home/anna.schmidt/work/.venv"] });
  const { check, stack } = answer;
  expect(check.findings[0]?.subject).toContain("anna.schmidt");
  stack.variables["HOSTNAME"] = "gpu-box-17";
  check.findings[0]!.evidence.push(
    "seen at /scratch/gpu-box-17/x by anna.schmidt@gpu-box-17, token hf_abcdefghijklmnop, (/home/anna.schmidt)",
  );
  const report = await checkMarkdown(answer, { people: ["aschmidt"], hosts: ["gpu-box-17.example.org"] });
  expect(report).not.toMatch(/schmidt|gpu-box|hf_abc/);
  expect(report).toContain("/home/user-1/work/.venv/lib/python3.12/site-packages/nvidia/cudnn/lib/libcudnn.so.9");
  expect(report).toContain("/scratch/host-1/x");
});

test("a person who is called like a framework does not take its name away", async () => {
  const answer = await judge(moved(withSetter, "/home/torch/work"), mixedCudnn, { python: ["/home/torch/work/.venv"] });
  const report = await checkMarkdown(answer, { people: ["torch"], hosts: ["jax"] });
  expect(report).not.toContain("/home/torch");
  expect(report).toContain("- **breaks** torch (rnn)");
  expect(report).toContain("site-packages/nvidia");
});

test.each(hostileNames)("a file called %j stays text", async (name) => {
  const report = await checkMarkdown(withName(judgement, name));
  // What is left after taking code spans away is what a reader's browser would take for markup.
  const outside = report
    .replaceAll(/<\/?(details|summary|sub)>/g, "")
    .split("\n")
    .map((line) => line.replaceAll(/(`+)(?!`).*?(?<!`)\1(?!`)/g, ""))
    .join("\n");
  expect(outside).not.toMatch(/[<>[\]]|alert|@someone|^# heading/m);
});
