import { expect, test } from "vitest";
import { checkReport, type Check, type Finding } from "../../packages/core/src/index.ts";
import { h200, hiddenGpus, judge, mixedCudnn, settled, withSetter } from "./judged.ts";

const { check: whole } = await judge(withSetter, mixedCudnn);
// What is only a note about that machine grows with every rule; here the one fault counts, and one unusual thing.
const unusual = whole.findings.find(({ rule }) => rule === "two-copies")!;
const check: Check = { ...whole, unknown: [], findings: [...whole.findings.filter(({ severity }) => severity !== "info"), unusual] };
const terminal = (width: number) => ({
  strong: (text: string) => text,
  faint: (text: string) => text,
  good: (text: string) => text,
  bad: (text: string) => text,
  width,
});

test("ten lines say which file, why that file, who set the variable, what breaks and what to do", () => {
  expect(checkReport(check)).toBe(`\
✗ error: cuDNN 9.19.0 of the wheel nvidia-cudnn-cu13 would run on parts of cuDNN 9.14.0, such as /usr/lib/x86_64-linux-gnu/libcudnn_graph.so.9.14.0
  breaks    torch (rnn)
  endangers jax (convolution, rnn); torch (convolution)
  because   libcudnn.so.9 opens libcudnn_graph.so.9 by name, and LD_LIBRARY_PATH goes before RUNPATH, ld.so.cache and the system folders
            LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu, set in /etc/profile.d/cuda.sh:3
  do        take /usr/lib/x86_64-linux-gnu out of LD_LIBRARY_PATH, in /etc/profile.d/cuda.sh, line 3
            for one command: env -u LD_LIBRARY_PATH COMMAND
  error     cuDNN version incompatibility: PyTorch was compiled  against (9, 19, 0) but found runtime version (9, 14, 0).
  evidence  /opt/torch/.venv/lib/python3.12/site-packages/nvidia/cudnn/lib/libcudnn.so.9 (cuDNN 9.19.0, of the wheel nvidia-cudnn-cu13)
            libcudnn_graph.so.9 → /usr/lib/x86_64-linux-gnu/libcudnn_graph.so.9.14.0 (cuDNN 9.14.0, of the package libcudnn9-cuda-13)
            and 5 more (--all)
  more      culprit help cudnn-parts-from-two-releases
            culprit fix cudnn-parts-from-two-releases

1 error; examined cupy 14.2.0, jax 0.11.2, numba 0.30.4, onnxruntime 1.30.0, torch 2.11.0, triton 3.6.0; 1 note hidden (--all)
`);
});

test("so do the first ten of a terminal with 80 columns, and nothing is cut", () => {
  const lines = checkReport(check, terminal(80)).split("\n");
  const ten = lines.slice(0, 10).join("\n");
  for (const part of [
    "/usr/lib/x86_64-linux-gnu/libcudnn_graph.so.9.14.0",
    "goes before RUNPATH",
    "/etc/profile.d/cuda.sh:3",
    "torch (rnn)",
    "take /usr/lib/x86_64-linux-gnu out of LD_LIBRARY_PATH",
  ])
    expect(ten).toContain(part);
  // Only a path that is longer than the line may stand out.
  for (const line of lines.filter((text) => 80 < text.length)) expect(line.trim().split(" ").at(-1)).toMatch(/^\/.{60}/);
  const words = (text: string) => text.split(/\s+/);
  expect(words(lines.join(" "))).toEqual(words(checkReport(check)));
});

test("a command is never broken, so that it can be copied", () => {
  const command = ["pip", "install", "--force-reinstall", "--no-deps", ...Array.from({ length: 4 }, () => "nvidia-cudnn-cu13==9.19.0.56")];
  const advice = [
    { words: "for this environment", command },
    { words: "with a bracket", command: ["pip", "install", "jax[cuda12]"] },
  ];
  const report = checkReport({ ...check, findings: [{ ...check.findings[0]!, advice }] }, terminal(60));
  expect(report).toContain(
    `  do        for this environment:\n              ${command.join(" ")}\n            with a bracket: pip install 'jax[cuda12]'\n`,
  );
});

test("a healthy machine gets one line", async () => {
  const { check: open } = await judge(h200);
  // What the case does not hold is not taken for well.
  expect(open.status).toBe("incomplete");
  expect(checkReport(open)).toMatch(
    /^(  unknown   .*\n)+\? Nothing wrong found, but not everything could be judged; examined cupy 14\.2\.0, .*\n$/,
  );
  const healthy = settled({ ...open, unknown: [] });
  expect(healthy.status).toBe("ok");
  expect(checkReport(healthy)).toMatch(/^✓ Nothing wrong found; examined cupy 14\.2\.0, .*\n$/);
  // On a narrow terminal the line goes on below.
  expect(checkReport(healthy, terminal(80)).replaceAll("\n  ", " ")).toBe(checkReport(healthy));
});

test("programs that lose the same are named together, and everything is called so", async () => {
  const { check: hidden } = await judge(h200, hiddenGpus);
  expect(hidden.findings.filter(({ severity }) => severity !== "info").map(({ rule }) => rule)).toEqual(["gpus-hidden"]);
  expect(checkReport(hidden)).toContain("  breaks    cupy, jax, numba, torch and triton (everything after the import)\n");
});

test("--all shows every piece of evidence, the subject, what is unusual, what is accepted and what cannot be told", () => {
  const more: Check = {
    ...check,
    unknown: [{ kind: "file", subject: "/root/.bashrc", reason: "it cannot be read (EACCES)" }],
    accepted: [{ finding: { ...check.findings[0]!, subject: "/x" }, reason: "we know" }],
  };
  const report = checkReport(more, undefined, { all: true });
  for (const text of check.findings[0]!.evidence) expect(report).toContain(text);
  expect(report).not.toContain("more (--all)");
  expect(report).toContain(`  subject   ${check.findings[0]!.subject}\n`);
  expect(report).toContain("i info: two copies of libcupti.so");
  expect(report).toContain("unknown   /root/.bashrc: it cannot be read (EACCES)\n");
  expect(report).toContain("  accepted  cudnn-parts-from-two-releases:/x: we know\n");
  const open = settled({ ...more, findings: [unusual] });
  expect(checkReport(open, undefined, { all: true })).toContain(
    "\n? Nothing wrong found, but not everything could be judged; examined cupy",
  );
  const short = checkReport(more);
  expect(short).toContain("1 finding accepted (--all); 1 unknown (--all)");
});

test("severity and doubt are words, not only marks", () => {
  const finding = (changes: Partial<Finding>): Check => ({ ...check, findings: [{ ...check.findings[0]!, ...changes }] });
  expect(checkReport(finding({ severity: "warning", certainty: "likely" }))).toMatch(/^! warning, likely: cuDNN/);
  expect(checkReport(finding({ severity: "warning" }))).toContain("\n1 warning; examined");
});

test("a name of a file cannot steer the terminal", () => {
  const name = "/opt/\u001b[2Jlib\u202eso.9\nfake";
  const report = checkReport({ ...check, findings: [{ ...check.findings[0]!, message: name, evidence: [name] }] });
  expect(report).toContain("/opt/\\x1b[2Jlib\\u202eso.9\\x0afake");
  expect(["\u001b", "\u202e"].filter((character) => report.includes(character))).toEqual([]);
});
