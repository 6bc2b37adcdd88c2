import { execFileSync, spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { markerHolds, parseRequirement } from "../../packages/core/src/lib/pep508.ts";
import { needs } from "../needs.ts";

const hasPackaging = spawnSync("python3", ["-c", "import packaging.requirements"]).status === 0;
const python = (script: string, input: unknown) =>
  JSON.parse(execFileSync("python3", ["-c", `import json,sys\n${script}`], { input: JSON.stringify(input), encoding: "utf8" })) as unknown;

let state = 11;
const next = (below: number) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
const some = <T>(values: T[]) => values[next(values.length)]!;

function requirement(): string {
  const name = some(["torch", "jax", "Jax_CUDA12.plugin", "a", "A1-b", "-x", "x-", "onnxruntime-gpu", "", "nvidia.cudnn_cu12"]);
  const extras = some(["", "", "", "[cuda12]", "[and-cuda, x]", "[]", "[ a , b ]", "[a,,b]", "[a b]"]);
  const clause = () =>
    `${some(["==", ">=", "<=", "<", ">", "!=", "~=", "=", "=>", "~"])}${some(["", " "])}${some(["2.4", "2.4.*", "1", "2.4.1+cu121", "1.0rc1", "1.*", "x", "1.0.dev0.*", "2022.4.8"])}`;
  const specifier = Array.from({ length: next(3) }, clause).join(some([",", ", ", " , "]));
  const written = next(6) === 0 && specifier !== "" ? ` (${specifier})` : specifier;
  const value = () => some(["python_version", "platform_system", "sys_platform", "os_name", "extra", '"3.10"', "'Linux'", '"linux"', "x"]);
  const comparison = () => `${value()} ${some(["==", "<", ">=", "!=", "in", "not in", "~=", "<<"])} ${value()}`;
  const marker = next(3) === 0 ? `; ${comparison()}${next(2) === 0 ? ` ${some(["and", "or"])} ${comparison()}` : ""}` : "";
  return `${name}${extras}${written}${marker}`;
}

test("requirements are read as `packaging` reads them", needs({ "Python's `packaging`": hasPackaging }), () => {
  const asked = Array.from({ length: 6000 }, requirement);
  const answers = python(
    `from packaging.requirements import Requirement as R
from packaging.utils import canonicalize_name as n
def read(t):
  try: r = R(t)
  except Exception: return None
  return [n(r.name), sorted(n(e) for e in r.extras), sorted(str(s).replace(' ', '') for s in r.specifier)]
print(json.dumps([read(t) for t in json.load(sys.stdin)]))`,
    asked,
  ) as ([string, string[], string[]] | null)[];
  let read = 0;
  asked.forEach((text, index) => {
    const answer = answers[index];
    const own = parseRequirement(text);
    if (answer) read += 1;
    expect("problem" in own, `${text}: ${JSON.stringify(own)}`).toBe(answer === null);
    if ("problem" in own || !answer) return;
    const clauses = own.specifier === "" ? [] : own.specifier.split(",").sort();
    expect([own.name, [...new Set(own.extras)].sort(), [...new Set(clauses)]], text).toEqual([
      answer[0],
      answer[1],
      [...new Set(answer[2])],
    ]);
  });
  expect(read).toBeGreaterThan(500);
});

test("markers hold where `packaging` says so", needs({ "Python's `packaging`": hasPackaging }), () => {
  const versions = ["python_version", "python_full_version"];
  const variables = [...versions, "platform_system", "platform_machine", "sys_platform", "os_name", "extra"];
  const numbers = ['"3.10"', '"3.9"', '"3.11.2"', "'3'"];
  const texts = ['"3.10"', '"Linux"', "'x86_64'", '"linux"', '"win32"', '"posix"', '"and-cuda"', '"and_cuda"'];
  const comparison = (): string => {
    const left = some(variables);
    const right = some(versions.includes(left) ? numbers : texts);
    const operator = some(["==", "!=", "<", ">=", "<=", ">", "in", "not in"]);
    return next(5) === 0 ? `${right} ${operator} ${left}` : `${left} ${operator} ${right}`;
  };
  const group = (): string => (next(4) === 0 ? `(${comparison()} ${some(["and", "or"])} ${comparison()})` : comparison());
  const asked = Array.from({ length: 4000 }, () => {
    const marker = Array.from({ length: 1 + next(3) }, group).reduce((all, each) => `${all} ${some(["and", "or"])} ${each}`);
    return [marker, some(["3.9.18", "3.10.4", "3.11.2", "3.13.0"]), some(["", "and-cuda", "x"])] as const;
  });
  const answers = python(
    `from packaging.markers import Marker as M
def holds(m, p, e):
  place = {'python_version': '.'.join(p.split('.')[:2]), 'python_full_version': p, 'platform_system': 'Linux', 'platform_machine': 'x86_64', 'sys_platform': 'linux', 'os_name': 'posix', 'extra': e}
  try: return M(m).evaluate(place)
  except Exception: return None
print(json.dumps([holds(*each) for each in json.load(sys.stdin)]))`,
    asked,
  ) as (boolean | null)[];
  asked.forEach(([marker, version, extra], index) => {
    // Some comparisons have no meaning.
    if (answers[index] === null) return;
    const minor = version.split(".").slice(0, 2).join(".");
    const linux = { platform_system: "Linux", platform_machine: "x86_64", sys_platform: "linux", os_name: "posix" };
    const variables = { ...linux, python_version: minor, python_full_version: version, extra };
    expect(markerHolds(marker, variables), `${marker} on ${version} [${extra}]`).toBe(answers[index]);
  });
});

test("what is wrong is said", () => {
  expect(parseRequirement("torch=2.4")).toMatchObject({
    problem: "`=2.4` is no version clause such as `>=2.4` or `==2.4.*`; a version is asked for with `==`",
  });
  expect(parseRequirement("torch>=2.x")).toMatchObject({ problem: "`2.x` is no version" });
  expect(parseRequirement("==2")).toMatchObject({ problem: "it does not begin with the name of a package" });
});
