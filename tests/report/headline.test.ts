import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Check, Finding } from "../../packages/core/src/index.ts";
import { headline } from "../../packages/core/src/report/headline.ts";

const finding = (changes: Partial<Finding>): Finding => ({
  rule: "x",
  cause: "library-missing",
  severity: "error",
  certainty: "certain",
  subject: "x",
  message: "libcublas.so.12 is not installed, and torch 2.5.1 in /opt/venv needs it",
  short: "libcublas.so.12 is not installed",
  because: [],
  evidence: [],
  facts: {},
  breaks: [],
  endangers: [],
  advice: [],
  sources: [],
  fixes: [],
  ...changes,
});
const breaks = (...names: string[]) => names.map((each) => ({ framework: each.split(":")[0]!, activity: each.split(":")[1]! }));

test("who fails at what comes before the reason, by what fails first", () => {
  const head = (...names: string[]) => headline(finding({ breaks: breaks(...names) }));
  expect(head("torch:profile", "torch:import")).toBe("torch will fail to import: libcublas.so.12 is not installed");
  expect(head("torch:device", "jax:device", "cupy:matmul")).toBe("torch and jax will find no usable GPU: libcublas.so.12 is not installed");
  expect(head("torch:device", "jax:device", "cupy:device")).toBe(
    "torch, jax and 1 more will find no usable GPU: libcublas.so.12 is not installed",
  );
  expect(head("tensorflow:profile")).toBe("tensorflow will miss the GPU in profiles: libcublas.so.12 is not installed");
  expect(head("/srv/app/bin/infer:import")).toBe("infer will not start: libcublas.so.12 is not installed");
});

test("what is at risk only is called so; a login shell is named", () => {
  expect(headline(finding({ severity: "warning", endangers: breaks("jax:convolution") }))).toBe(
    "jax at risk: libcublas.so.12 is not installed",
  );
  expect(headline(finding({ shell: "login", breaks: breaks("torch:import") }))).toBe(
    "in a login shell, torch will fail to import: libcublas.so.12 is not installed",
  );
  expect(headline(finding({ certainty: "likely" }))).toBe("libcublas.so.12 is not installed (likely)");
});

test("where pip refuses or a container does not start, that is said: nothing gets as far as an import", () => {
  const short = "there is no tensorflow 2.16.0 on PyPI";
  expect(headline(finding({ rule: "version-not-published", short, breaks: breaks("tensorflow:import") }))).toBe(
    `the install will fail: ${short}`,
  );
  expect(headline(finding({ rule: "version-not-published", short, endangers: breaks("torch:import") }))).toBe(
    `the install may fail: ${short}`,
  );
  const image = { rule: "driver-too-old", subject: "NVIDIA_REQUIRE_CUDA", short: "the image requires cuda>=13.0" };
  expect(headline(finding({ ...image, breaks: breaks("torch:import", "torch:device") }))).toBe(
    "the container will not start: the image requires cuda>=13.0",
  );
});

test("a long reason keeps who fails, and ends at a word", () => {
  const short = "the program's loader `/lib/ld-musl-x86_64.so.1` is not there: the kernel refuses to start it";
  const head = headline(finding({ short, breaks: breaks("/opt/app/infer:import") }));
  expect(head).toMatch(/^infer will not start: the program's loader .*\w…$/);
  expect(head.length).toBeLessThan(88);
});

// Read in the case book: a headline that was cut is one that nobody wrote.
const told = readdirSync("cases", { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) => {
    const check = JSON.parse(readFileSync(`cases/${name}/diagnosis.json`, "utf8")) as Partial<Check>;
    return (check.findings ?? []).filter((each) => Array.isArray(each.breaks)).map((each) => ({ name, ...each }));
  });

test.each(told)("$name: the headline of $rule is short and whole", (each) => {
  const head = headline(each);
  expect(head.length).toBeLessThan(88);
  if (each.rule !== "activity-stops" && each.rule !== "recorded-failure") expect(head).not.toContain("…");
});
