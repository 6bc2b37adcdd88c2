import { execFileSync, spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { driverReaches } from "../../packages/core/src/knowledge/dotted.ts";
import { compareDebianVersions } from "../../packages/core/src/lib/debian-version.ts";
import { comparePythonVersions, isWithin } from "../../packages/core/src/lib/pep440.ts";
import { needs } from "../needs.ts";

const sign = (number: number) => Math.sign(number);

// Each line is in order; what stands between two `=` is equal. As `packaging` 26.3 answers.
const pythonOrder = [
  "1.dev0 < 1.0.dev456 < 1.0a1.dev1 < 1.0a1 < 1.0a2.dev456 < 1.0a12.dev456 < 1.0a12 < 1.0b1.dev456 < 1.0b2 < 1.0b2.post345.dev456 < 1.0b2.post345 < 1.0rc1.dev456 < 1.0rc1 < 1.0 < 1.0+abc.5 < 1.0+abc.7 < 1.0+5 < 1.0.post456.dev34 < 1.0.post456 < 1.1.dev1",
  "2.1.2+cu118 < 2.1.2+cu121 < 2.1.2+cu121.with.pypi.cudnn < 2.1.3",
  "9.1.0.70 < 9.3.0.75 < 9.10.2.21 < 9.19.0.56",
  "11.11.3.6 < 2022.4.8 < 1!0.1",
  "1.0 = 1 = 1.0.0 = v1.0 = 1.0.0.0",
  "1.0a1 = 1.0alpha1 = 1.0.a.1 = 1.0-ALPHA_1",
  "1.0rc1 = 1.0c1 = 1.0pre1 = 1.0-preview1",
  "1.0.post1 = 1.0-1 = 1.0rev1 = 1.0.r1",
  "1.0+ubuntu.1 = 1.0+ubuntu-1 = 1.0+UBUNTU_1",
  "2.8.2+zzzcolab20220719082949 < 2.8.3rc0 < 2.8.3",
  "12.4.127 < 12.4.127.post1 < 12.4.131",
  "0.4.30 < 0.4.31.dev20240701 < 0.4.31",
];

const debianOrder = [
  "1.0~~ < 1.0~~a < 1.0~ < 1.0 < 1.0-1 < 1.0-1ubuntu1 < 1.0a < 1.0+b1 < 1.1 < 1:0.1",
  "8.9.6.50-1+cuda11.8 < 8.9.6.50-1+cuda12.2 < 9.8.0.87-1",
  "11.2.152~11.2.2-3+deb11u3 < 11.8.87~11.8.0-5~deb12u1 < 12.4.127~12.4.1-1 < 12.4.127~12.4.1-4build1",
  "535.129.03-1 < 570.124.06-0ubuntu1 < 570.124.06-1",
  "1.0 = 1.0-0 = 0:1.0 = 1.00",
  "2.9 < 2.10 < 2.10.1",
];

const inOrder = (line: string) => line.split(" < ").map((group) => group.split(" = "));

function expectOrder(lines: string[], compare: (a: string, b: string) => number): void {
  for (const line of lines) {
    const groups = inOrder(line);
    groups.forEach((left, i) =>
      groups.forEach((right, j) => {
        for (const a of left) for (const b of right) expect(sign(compare(a, b)), `${a} ? ${b}`).toBe(sign(i - j));
      }),
    );
  }
}

test("Python versions are ordered as recorded", () => expectOrder(pythonOrder, comparePythonVersions));
test("Debian versions are ordered as recorded", () => expectOrder(debianOrder, compareDebianVersions));

// A generator of our own, so that a failure can be seen again.
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const some = <T>(next: (below: number) => number, values: T[]) => values[next(values.length)]!;

function pythonVersion(next: (below: number) => number): string {
  const number = () => String(some(next, [0, 1, 2, 9, 10, 11, 2022]));
  const release = Array.from({ length: 1 + next(4) }, number).join(".");
  const epoch = next(8) === 0 ? "1!" : "";
  const pre = next(3) === 0 ? `${some(next, ["", ".", "-"])}${some(next, ["a", "b", "rc", "alpha", "c", "preview"])}${number()}` : "";
  const post = next(4) === 0 ? some(next, [".post1", ".post0", "-1", ".rev2", "post10"]) : "";
  const dev = next(4) === 0 ? some(next, [".dev0", ".dev1", "dev10", ".dev"]) : "";
  const local = next(3) === 0 ? `+${some(next, ["cu118", "cu121", "cu121.1", "1", "1.a", "cuda12.cudnn89", "abc.10", "abc.9"])}` : "";
  return `${epoch}${release}${pre}${post}${dev}${local}`;
}

function debianVersion(next: (below: number) => number): string {
  const part = () => some(next, ["0", "1", "10", "9", "09", "~", "~rc1", "a", "+b", ".", "ubuntu", "deb11u3", "+cuda12.2"]);
  const text = (length: number) => Array.from({ length }, part).join("");
  const revision = next(2) === 0 ? `-${1 + next(9)}${text(next(3))}` : "";
  return `${next(5) === 0 ? `${next(3)}:` : ""}${next(20)}${text(next(5))}${revision}`;
}

const pairs = (make: (next: (below: number) => number) => string, seed: number, count: number) => {
  const next = random(seed);
  return Array.from({ length: count }, () => [make(next), make(next)] as const);
};

const hasPackaging = spawnSync("python3", ["-c", "import packaging.version"]).status === 0;
const python = (script: string, input: unknown) =>
  JSON.parse(execFileSync("python3", ["-c", `import json,sys\n${script}`], { input: JSON.stringify(input), encoding: "utf8" })) as unknown;

test("Python versions are ordered as `packaging` orders them", needs({ "Python's `packaging`": hasPackaging }), () => {
  const asked = pairs(pythonVersion, 1, 5_000);
  const answers = python(
    "from packaging.version import Version as V\nprint(json.dumps([(V(a) > V(b)) - (V(a) < V(b)) for a, b in json.load(sys.stdin)]))",
    asked,
  );
  expect(asked.map(([a, b]) => sign(comparePythonVersions(a, b)))).toEqual(answers);
});

test("Specifiers let in what `packaging` lets in", needs({ "Python's `packaging`": hasPackaging }), () => {
  const next = random(2);
  const asked = Array.from({ length: 5_000 }, () => {
    const wanted = pythonVersion(next);
    const plain = wanted.replace(/\+.*/, "");
    // What `<` and `>` say of pre- and post-releases of a pre- or post-release differs between releases of `packaging`.
    const final = /^(\d+!)?[\d.]*\d/.exec(wanted)![0];
    const specifier = some(next, [
      `==${wanted}`,
      `!=${wanted}`,
      `>=${plain}`,
      `<=${plain}`,
      `>${final}`,
      `<${final}`,
      `==${final}.*`,
      `~=${/^(\d+!)?\d+/.exec(wanted)![0]}.${next(3)}`,
      `>=${next(5)},<${5 + next(8)}`,
    ]);
    const near = next(2) === 0 ? wanted : pythonVersion(next);
    return [near, specifier] as const;
  });
  const answers = python(
    "from packaging.specifiers import SpecifierSet as S\nprint(json.dumps([S(s).contains(v, prereleases=True) for v, s in json.load(sys.stdin)]))",
    asked,
  ) as boolean[];
  asked.forEach(([version, specifier], index) => expect(isWithin(version, specifier), `${version} in ${specifier}`).toBe(answers[index]));
});

test("What is no version or specifier gives no answer", () => {
  expect(isWithin("nightly", ">=1")).toBeUndefined();
  expect(isWithin("1.0", "about 1")).toBeUndefined();
  expect(isWithin("12.9.1", "")).toBe(true);
  expect(sign(comparePythonVersions("nightly", "0.dev0"))).toBe(-1);
});

const hasDpkg = spawnSync("dpkg", ["--version"]).status === 0;

test("Debian versions are ordered as dpkg orders them", needs({ dpkg: hasDpkg }), () => {
  const asked = pairs(debianVersion, 3, 300);
  const script =
    'while read -r a b; do for op in lt eq gt; do if dpkg --compare-versions "$a" $op "$b" 2>/dev/null; then echo $op; fi; done; done';
  const input = `${asked.map(([a, b]) => `${a} ${b}`).join("\n")}\n`;
  const answers = execFileSync("sh", ["-c", script], { input, encoding: "utf8" }).trim().split("\n");
  const words = { "-1": "lt", "0": "eq", "1": "gt" } as { [sign: string]: string };
  expect(asked.map(([a, b]) => words[String(sign(compareDebianVersions(a, b)) + 0)])).toEqual(answers);
});

test("a driver that is not told to its end stands for all such releases", () => {
  for (const driver of ["525", "525.60", "525.60.13", "525.60.15", "525.105.17", "535"])
    expect(driverReaches(driver, "525.60.13"), driver).toBe(true);
  for (const driver of ["520", "525.53", "525.60.11", "470.57.02", "52"]) expect(driverReaches(driver, "525.60.13"), driver).toBe(false);
  expect(driverReaches("525.60.13", "525")).toBe(true);
  expect(driverReaches("384.81", "384.81")).toBe(true);
});
