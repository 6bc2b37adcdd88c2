import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";
import { joinWithCheck } from "../../packages/core/src/log/join.ts";
import type { Finding } from "../../packages/core/src/model/finding.ts";
import type { Inventory } from "../../packages/core/src/model/inventory.ts";

const finding = (over: Partial<Finding>): Finding => ({
  rule: "cudnn-shadowed",
  cause: "library-shadowed",
  severity: "error",
  certainty: "certain",
  subject: "libcudnn.so.9",
  message: "`/usr/lib/libcudnn.so.9` is found before PyTorch's own",
  because: ["LD_LIBRARY_PATH names /usr/lib"],
  evidence: ["/usr/lib/libcudnn.so.9.1.0"],
  breaks: [{ framework: "torch", activity: "convolution" }],
  endangers: [],
  facts: {
    loads: [
      {
        role: "guilty",
        name: "libcudnn.so.9",
        file: "/usr/lib/libcudnn.so.9.1.0",
        path: "/usr/lib/libcudnn.so.9",
        via: "ld-library-path",
        library: "cudnn",
        requestedBy: "/venv/libtorch_cuda.so",
      },
    ],
  },
  advice: [],
  sources: [],
  fixes: [
    {
      fix: "unset it",
      safety: "safe",
      commands: ["unset LD_LIBRARY_PATH"],
      proof: { removes: ["cudnn-shadowed libcudnn.so.9"], adds: [] },
    },
  ],
  ...over,
});
const text =
  "RuntimeError: cuDNN version incompatibility: PyTorch was compiled  against (9, 10, 2) but found runtime version (9, 1, 0). PyTorch already comes bundled with cuDNN.";
const explained = async () => (await explainLog([new TextEncoder().encode(text)])).diagnoses;

test("a finding of the same cause makes certain, adds evidence and gives its fixes", async () => {
  const [first] = joinWithCheck(await explained(), [finding({})]);
  expect(first).toMatchObject({
    cause: "library-shadowed",
    certainty: "certain",
    machine: ["/usr/lib/libcudnn.so.9.1.0"],
    findings: ["cudnn-shadowed libcudnn.so.9"],
    next: [],
  });
  expect(first!.evidence[0]!.line).toBe(1);
  expect(first!.fixes.map(({ commands }) => commands)).toEqual([["unset LD_LIBRARY_PATH"]]);
});

test("a finding of a neighbouring cause settles what the text left open", async () => {
  const [first] = joinWithCheck(await explained(), [finding({ rule: "two-cudnn", cause: "two-copies" })]);
  expect(first).toMatchObject({ cause: "two-copies", certainty: "certain", findings: ["two-cudnn libcudnn.so.9"] });
});

test("what the library that a program names lacks itself settles how its message is read, and no other reading is left", async () => {
  const text =
    "RuntimeError: jaxlib/cuda/versions_helpers.cc:85: operation cusparseGetProperty(MAJOR_VERSION, &major) failed: The cuSPARSE library was not found.\n";
  const { diagnoses } = await explainLog([new TextEncoder().encode(text)]);
  expect(diagnoses.length).toBeGreaterThan(1);
  const damaged = finding({
    rule: "library-damaged",
    cause: "library-damaged",
    subject: "/opt/other/libnvJitLink.so.13",
    message: "/opt/other/libnvJitLink.so.13 is not a usable library",
    breaks: [{ framework: "torch", activity: "device" }],
    facts: {
      copies: [{ role: "damaged", file: "/opt/other/libnvJitLink.so.13", library: "nvjitlink" }],
      loads: [
        {
          role: "asks",
          name: "libcusparse.so.12",
          file: "/venv/libcusparse.so.12",
          path: "/venv/libcusparse.so.12",
          via: "rpath",
          library: "cusparse",
          requestedBy: "/venv/_versions.so",
        },
      ],
    },
  });
  const joined = joinWithCheck(diagnoses, [damaged]);
  expect(joined.map(({ cause, certainty }) => [cause, certainty])).toEqual([["library-damaged", "certain"]]);
  // What is merely at risk is no reason for a message.
  expect(joinWithCheck(diagnoses, [{ ...damaged, severity: "warning" }])[0]!.cause).toBe("library-missing");
});

test("a finding about something else, or one merely unusual, changes nothing", async () => {
  const diagnoses = await explained();
  const plain = diagnoses.map((diagnosis) => ({ ...diagnosis, findings: [] }));
  expect(joinWithCheck(diagnoses, [])).toEqual(plain);
  expect(joinWithCheck(diagnoses, [finding({ subject: "libnccl.so.2", facts: {} })])).toEqual(plain);
  expect(joinWithCheck(diagnoses, [finding({ severity: "info" })])).toEqual(plain);
});

test("a line for pip is for the one environment that was looked at, with uv where it has no pip", async () => {
  const missing = "OSError: libcudnn.so.8: cannot open shared object file: No such file or directory";
  const { diagnoses } = await explainLog([new TextEncoder().encode(missing)]);
  const linesWith = (...packages: string[]) => {
    const environment = {
      prefix: "/opt/my env",
      kind: "venv" as const,
      python: "/opt/my env/bin/python3",
      version: "3.12",
      notFollowed: [],
    };
    const environments = [{ ...environment, packages: packages.map((name) => ({ name, version: "1" })) }];
    const inventory = {
      environments,
      copies: [],
      toolkits: [],
      unknown: [],
      missing: [],
      frameworks: [],
      variables: [],
    } as unknown as Inventory;
    return joinWithCheck(diagnoses, [], inventory).flatMap(({ fixes }) => fixes.flatMap(({ commands }) => commands));
  };
  expect(linesWith("pip")).toContain(`'/opt/my env/bin/python3' -m pip install "nvidia-cudnn-cu12==8.*"`);
  expect(linesWith("numpy")).toContain(`uv pip install --python '/opt/my env/bin/python3' "nvidia-cudnn-cu12==8.*"`);
  for (const line of [...linesWith("pip"), ...linesWith("numpy")]) expect(line).not.toMatch(/^pip|\(python/);
});

test("what is wrong with another major of a library is not what a text speaks of", async () => {
  const missing = (name: string) =>
    `Could not load dynamic library '${name}'; dlerror: ${name}: cannot open shared object file: No such file or directory`;
  const told = async (name: string, given: Finding) =>
    joinWithCheck((await explainLog([new TextEncoder().encode(missing(name))])).diagnoses, [given])[0]!.findings;
  expect(await told("libcudnn.so.8", finding({}))).toEqual([]);
  expect(await told("libcudnn_ops_infer.so.8", finding({}))).toEqual([]);
  expect(await told("libcudnn.so.9", finding({}))).toHaveLength(1);
  // It names the one that is asked for, beside the one that is there.
  const wanted = finding({ facts: { ...finding({}).facts, wanted: { name: "libcudnn.so.8", library: "cudnn" } } as Finding["facts"] });
  expect(await told("libcudnn.so.8", wanted)).toHaveLength(1);
});
