// Twenty tasks as an agent has them: a broken machine, log, project or profile of the case book, a few calls, and the right end. At least
// nineteen must end right; the last test counts.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shadowing, torchTree } from "../leaks/tree.ts";
import { glibcLoader } from "../loader/answers.ts";
import { needs } from "../needs.ts";
import { agent, type Agent } from "./agent.ts";

const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "culprit-tasks-")));
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));
let one: Agent;
beforeAll(async () => {
  one = await agent({ env: { HOME: scratch, XDG_STATE_HOME: path.join(scratch, "state") }, modern: true });
});
afterAll(async () => one.client.close());

const at = (name: string) => path.resolve("cases", name);
const snapshot = (name: string) => path.join(at(name), "snapshot.json.gz");
const log = (name: string) => fs.readFileSync(path.join(at(name), "log.txt"), "utf8");
const tree = path.join(scratch, "root");
if (glibcLoader !== undefined) torchTree(tree, "/opt/old");
const inTree = { root: tree, python: ["/venv"], env: [shadowing("/opt/old").at(-1)!] };

// oxlint-disable-next-line typescript/no-explicit-any
type Any = any;
const findings = (said: { data: Any }): Any[] => said.data.answers.flatMap((each: Any) => each.findings);
const about = (said: { data: Any }, rule: string): Any => findings(said).find((each) => each.rule === rule);

const tasks: { task: string; needs?: { [name: string]: unknown }; end: () => Promise<void> }[] = [
  {
    task: "why does torch fail at an LSTM on this machine, and what helps at once?",
    end: async () => {
      const check = await one.ask("check", { target: snapshot("h200-system-cudnn-first"), for: ["torch"], do: ["rnn"] });
      expect(about(check, "cudnn-parts-from-two-releases").breaks).toContain("torch: rnn");
      const why = await one.ask("why", { library: "libcudnn_graph.so.9", for: ["torch"], target: snapshot("h200-system-cudnn-first") });
      expect(why.data.requests[0]).toMatchObject({ via: "ld-library-path", version: "cuDNN 9.14.0" });
      const fix = await one.ask("fix", { finding: "cudnn-parts-from-two-releases", target: snapshot("h200-system-cudnn-first") });
      expect(fix.data.findings[0].fixes[0]).toMatchObject({ commands: ["env -u LD_LIBRARY_PATH COMMAND"], proven: true });
    },
  },
  {
    task: "put a root folder right, for good, and back again",
    needs: { glibc: glibcLoader },
    end: async () => {
      expect(findings(await one.ask("check", inTree)).some(({ severity }) => severity === "error")).toBe(true);
      const { data } = await one.ask("fix", inTree);
      const applied = await one.ask("apply", { digest: data.digest });
      expect(applied.data.proofHeld).toBe(true);
      expect(fs.readFileSync(path.join(tree, "etc/profile.d/cuda.sh"), "utf8")).not.toContain("/opt/old");
      await one.ask("undo");
      expect(fs.readFileSync(path.join(tree, "etc/profile.d/cuda.sh"), "utf8")).toContain("/opt/old");
    },
  },
  {
    task: "import torch fails: which library is missing, and which package brings it?",
    end: async () => {
      const check = await one.ask("check", { target: snapshot("cupti-uninstalled"), for: ["torch"], do: ["profile"] });
      expect(JSON.stringify(findings(check)[0].advice)).toContain("nvidia-cuda-cupti");
      const loads = await one.ask("loads", { program: ["torch"], target: snapshot("cupti-uninstalled") });
      expect(loads.data.failures[0].name).toBe("libcupti.so.13");
    },
  },
  {
    task: "files of a wheel are gone: how do they come back?",
    end: async () => {
      const check = await one.ask("check", { target: snapshot("cusparselt-deleted"), for: ["torch"] });
      expect(JSON.stringify(findings(check)[0].advice)).toContain("--force-reinstall --no-deps nvidia-cusparselt-cu13==0.8.0");
    },
  },
  {
    task: "would this machine work with driver 550?",
    end: async () => {
      const check = await one.ask("check", {
        target: snapshot("h200-system-cudnn-first"),
        driver: "550.54.15",
        unset: ["LD_LIBRARY_PATH"],
      });
      expect(about(check, "driver-too-old").message).toContain("CUDA 13");
    },
  },
  {
    task: "would this torch run on an RTX 5090?",
    end: async () => {
      const check = await one.ask("check", { target: snapshot("torch-2.6-beside-cuda-13"), gpu: ["RTX 5090"] });
      expect(about(check, "gpu-not-in-build").breaks).toContain("torch: matmul");
    },
  },
  {
    task: "is this machine healthy? Say so only if it is.",
    end: async () => {
      const check = await one.ask("check", { target: snapshot("h200-healthy") });
      expect(findings(check).filter(({ severity }) => severity !== "info")).toEqual([]);
      expect(["ok", "incomplete"]).toContain(check.data.answers[0].status);
    },
  },
  {
    task: "onnxruntime does not find its CUDA: why, and what helps?",
    end: async () => {
      const check = await one.ask("check", { target: snapshot("onnxruntime-gpu-wheels-not-on-path") });
      expect(about(check, "library-not-on-path").breaks[0]).toContain("onnxruntime");
    },
  },
  {
    task: "a stub instead of the driver",
    end: async () => {
      const env = ["LD_PRELOAD=/usr/local/cuda/lib64/stubs/libcuda.so", "LD_LIBRARY_PATH="];
      const check = await one.ask("check", { target: snapshot("h200-system-cudnn-first"), env });
      expect(JSON.stringify(about(check, "stub-driver").advice)).toContain("LD_PRELOAD");
    },
  },
  {
    task: "works here, fails there: which difference?",
    end: async () => {
      const diff = await one.ask("diff", {
        a: snapshot("h200-healthy"),
        b: snapshot("h200-system-cudnn-first"),
        for: ["torch"],
        do: ["rnn"],
      });
      expect(diff.data.decisive.map(({ subject }: Any) => subject)).toContain("LD_LIBRARY_PATH");
    },
  },
  {
    task: "an error text: libcudnn.so.8 is not there",
    end: async () => {
      const said = await one.ask("explain", { text: log("log-libcudnn-8-not-found") });
      expect(said.data.diagnoses[0]).toMatchObject({ cause: "library-missing", name: "libcudnn.so.8" });
    },
  },
  {
    task: "an error text: the driver is too old",
    end: async () => {
      const said = await one.ask("explain", { text: log("log-driver-too-old-for-torch") });
      expect(said.data.diagnoses[0].cause).toBe("driver-too-old");
    },
  },
  {
    task: "an error text, joined with the machine it came from: which file is to blame?",
    end: async () => {
      const said = await one.ask("explain", { text: log("log-cudnn-refused-by-torch"), target: snapshot("h200-system-cudnn-first") });
      expect(JSON.stringify(said.data.diagnoses[0])).toContain("/usr/lib/x86_64-linux-gnu");
    },
  },
  {
    task: "a text that ran out of memory: nothing is mismatched, and nobody is sent away with a wrong cure",
    end: async () => {
      const said = await one.ask("explain", { text: log("log-out-of-memory") });
      expect(said.data.diagnoses[0].cause).toBe("not-a-mismatch");
    },
  },
  {
    task: "a log of a success",
    end: async () => {
      const said = await one.ask("explain", { text: log("log-of-a-success") });
      expect(said.data.diagnoses.filter(({ cause }: Any) => cause !== "benign-warning")).toEqual([]);
    },
  },
  {
    task: "a requirements file before it is installed",
    end: async () => {
      const check = await one.ask("check", { target: path.join(at("two-onnxruntimes-in-one-list"), "requirements.txt") });
      expect(about(check, "packages-overwrite-each-other").place).toMatch(/requirements\.txt:\d+$/);
    },
  },
  {
    task: "a Dockerfile: which line, and why?",
    end: async () => {
      const check = await one.ask("check", { target: path.join(at("toolkit-before-newer-wheels"), "Dockerfile") });
      expect(findings(check)[0].place).toMatch(/Dockerfile:\d+$/);
      const page = await one.text("read", { address: findings(check)[0].page });
      expect(page).toMatch(/^# /);
    },
  },
  {
    task: "versions for an old driver and a T4",
    end: async () => {
      const said = await one.ask("solve", { requirement: ["torch", "python==3.12"], gpu: ["T4"], driver: "535.104" });
      expect(said.data.answers[0].packages[0]).toMatch(/^torch 2\.\d+\.\d+/);
      expect(said.data.answers[0].lines.join("\n")).toContain("pip install");
    },
  },
  {
    task: "versions that cannot live together: which of the wishes clash?",
    end: async () => {
      const said = await one.ask("solve", { requirement: ["tensorflow==2.10.*", "python==3.12"], gpu: ["T4"], driver: "535.104" });
      expect(said.data.answers).toEqual([]);
      expect(said.data.conflict.requirements.length).toBe(2);
    },
  },
  {
    task: "a profile without kernels: what was lost?",
    end: async () => {
      const said = await one.ask("trace", { path: [path.join(at("trace-torch-without-kernels"), "trace.json")] });
      expect(said.data.files[0].verdict).toBe("no-gpu-events");
      expect(said.data.files[0].causes.length).toBeGreaterThan(0);
    },
  },
];

const ended: string[] = [];
for (const { task, needs: wanted, end } of tasks)
  test(task, needs(wanted ?? {}), async () => {
    await end();
    ended.push(task);
  });

test("there are twenty of them, and at least nineteen end right", needs({ glibc: glibcLoader }), () => {
  expect(tasks).toHaveLength(20);
  expect(ended.length).toBeGreaterThanOrEqual(19);
});
