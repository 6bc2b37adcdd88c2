import { expect, test } from "vitest";
import { cpuNamed, parseCpu } from "../../packages/core/src/collect/cpu.ts";

const v2 = "pni ssse3 cx16 sse4_1 sse4_2 popcnt lahf_lm";
const v3 = `${v2} avx avx2 bmi1 bmi2 f16c fma abm movbe`;
const v4 = `${v3} avx512f avx512bw avx512cd avx512dq avx512vl`;
const cpuinfo = (vendor: string, flags: string, family = 6, model = 85) =>
  `processor\t: 0\nvendor_id\t: ${vendor}\ncpu family\t: ${family}\nmodel\t\t: ${model}\nmodel name\t: A Processor\nflags\t\t: fpu ${flags}\nbogomips\t: 1\n`;

test.each([
  ["Intel v1", cpuinfo("GenuineIntel", "pni"), { level: 1, avx512: false, vendor: "GenuineIntel" }],
  ["Intel v4", cpuinfo("GenuineIntel", v4), { level: 4, platform: "haswell", avx512: true, vendor: "GenuineIntel" }],
  ["with virtualization", cpuinfo("GenuineIntel", `vmx ${v2}`), { level: 2, avx512: false, vendor: "GenuineIntel", vmx: true }],
  ["AMD v3", cpuinfo("AuthenticAMD", v3, 25, 1), { level: 3, platform: "haswell", avx512: false, vendor: "AuthenticAMD" }],
  ["one level missing below", cpuinfo("AuthenticAMD", v4.replace("movbe", "")), { level: 2, avx512: true, vendor: "AuthenticAMD" }],
  [
    "without BMI, which not all releases look for",
    cpuinfo("GenuineIntel", v3.replace("bmi2", "")),
    { level: 2, levelToSome: 3, avx512: false, vendor: "GenuineIntel" },
  ],
  ["Zhaoxin whose AVX is not used", cpuinfo("  Shanghai  ", v3, 7, 59), { level: 2, avx512: false, vendor: "Shanghai" }],
  ["a later one", cpuinfo("  Shanghai  ", v3, 7, 91), { level: 3, platform: "haswell", avx512: false, vendor: "Shanghai" }],
  [
    "Intel of the same numbers",
    cpuinfo("GenuineIntel", v3, 7, 59),
    { level: 3, platform: "haswell", avx512: false, vendor: "GenuineIntel" },
  ],
  ["no vendor told", `flags\t\t: ${v3}\n`, { level: 3, platform: "haswell", avx512: false }],
  ["an empty vendor", cpuinfo("", v3), { level: 3, platform: "haswell", avx512: false }],
  ["nothing told", "", {}],
  ["aarch64", "processor\t: 0\nFeatures\t: fp asimd atomics\nCPU implementer\t: 0x41\n", { atomics: true }],
  ["an older aarch64", "Features\t: fp asimd\n", { atomics: false }],
])("/proc/cpuinfo of %s", (_what, text, fact) => {
  expect(parseCpu(text)).toEqual(fact);
});

test.each([
  ["v1", { level: 1, avx512: false }],
  ["3", { level: 3, platform: "haswell", avx512: false }],
  ["V4", { level: 4, platform: "haswell", avx512: true }],
  ["x86-64-v2", { level: 2, avx512: false }],
  ["amd:v3", { level: 3, platform: "haswell", avx512: false, vendor: "AuthenticAMD" }],
  ["AuthenticAMD:x86-64-v3", { level: 3, platform: "haswell", avx512: false, vendor: "AuthenticAMD" }],
  ["Intel:V4", { level: 4, platform: "haswell", avx512: true, vendor: "GenuineIntel" }],
  ["genuineintel:1", { level: 1, avx512: false, vendor: "GenuineIntel" }],
  ["hygon:v3", { level: 3, platform: "haswell", avx512: false, vendor: "HygonGenuine" }],
  ["zhaoxin:v2", { level: 2, avx512: false, vendor: "Shanghai" }],
])("--cpu %s", (text, fact) => {
  expect(cpuNamed(text)).toEqual(fact);
});

const notLevel = "is not an x86-64 level: v1, v2, v3 or v4";
const notVendor = "is not a vendor of x86-64 processors: intel, amd, hygon, zhaoxin, centaur";
test.each([
  ["", `\`\` ${notLevel}`],
  ["v5", `\`v5\` ${notLevel}`],
  ["v0", `\`v0\` ${notLevel}`],
  ["33", `\`33\` ${notLevel}`],
  ["amd", `\`amd\` ${notLevel}`],
  ["amd:", `\`\` ${notLevel}`],
  ["amd: v3", `\`\u0020v3\` ${notLevel}`],
  ["amd:v3:v4", `\`v3:v4\` ${notLevel}`],
  ["haswell", `\`haswell\` ${notLevel}`],
  [":v3", `\`\` ${notVendor}`],
  ["arm:v3", `\`arm\` ${notVendor}`],
  ["constructor:v3", `\`constructor\` ${notVendor}`],
  ["v3:amd", `\`v3\` ${notVendor}`],
  ["v3\n", `\`v3\n\` ${notLevel}`],
])("--cpu %j is not one", (text, problem) => {
  expect(cpuNamed(text)).toMatchObject({ problem: expect.stringContaining(problem) as string });
});
