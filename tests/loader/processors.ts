// Processors to play, so that what a loader does on one is answered whatever processor runs the tests.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fixtures } from "./fixtures.ts";

/** One that `qemu-x86_64 -cpu` plays, or one that `play-processor` does: its vendor as CPUID spells it, its flags as /proc/cpuinfo does. */
export type Plan = { name: string } & ({ model: string } | { vendor: string; flags: string });

const v3 = "pni ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt avx f16c bmi1 avx2 bmi2 lahf_lm abm";
const v4 = `${v3} avx512f avx512dq avx512cd avx512bw avx512vl`;

export const plans: Plan[] = [
  { name: "Intel v1", model: "Conroe" },
  { name: "Intel v2", model: "Nehalem" },
  { name: "Intel v3", model: "Haswell" },
  { name: "Intel v4", vendor: "GenuineIntel", flags: v4 },
  { name: "Xeon Phi", vendor: "GenuineIntel", flags: `${v3} avx512f avx512cd avx512er avx512pf` },
  { name: "AMD v1", model: "Opteron_G1" },
  { name: "AMD v2 with FMA", model: "Opteron_G5" },
  { name: "AMD v3", model: "EPYC" },
  { name: "AMD v4", vendor: "AuthenticAMD", flags: v4 },
  { name: "Hygon v3", model: "Dhyana" },
  { name: "Zhaoxin whose AVX glibc does not use", model: "Haswell,vendor=  Shanghai  ,family=7,model=59" },
];

/** Where the processor decides; which list of folders it is makes no difference. */
export const processorFixtures = fixtures.filter(
  ({ fact, gap }) =>
    gap === undefined &&
    /subfolder|copy in|PLATFORM|a token without a slash/.test(fact) &&
    !/under (RUNPATH|LD_LIBRARY_PATH)|every time|in place of|merely|ends everything/.test(fact),
);

/** A processor at hand: the words before a program that play it, and what /proc/cpuinfo would say of it. */
export interface Played {
  name: string;
  cpuinfo: string;
  /** Where qemu plays it, its command. */
  emulator?: string[];
  /** Where `play-processor` does. */
  through?: string[];
}

/** What this machine can play of a plan; why not, otherwise. */
export function play(plan: Plan, tools: { qemu: string[] | undefined; player: Player | string }): Played | string {
  if ("model" in plan) {
    if (!tools.qemu) return "needs qemu-x86_64";
    const emulator = [...tools.qemu, "-cpu", plan.model];
    const cpuinfo = askCpuid(emulator);
    return cpuinfo === undefined ? `${tools.qemu[0]} cannot play it` : { name: plan.name, cpuinfo, emulator };
  }
  if (typeof tools.player === "string") return tools.player;
  const { file, offsets } = tools.player;
  const cpuinfo = `vendor_id\t: ${plan.vendor}\nflags\t\t: ${plan.flags}\n`;
  return { name: plan.name, cpuinfo, through: [file, offsets, plan.vendor, plan.flags] };
}

/** `play-processor`, for one loader. */
export interface Player {
  file: string;
  offsets: string;
}

/** Compiles it into a folder; why not, otherwise. */
export function makePlayer(folder: string, loader: string): Player | string {
  if (process.arch !== "x64") return "needs an x86-64 machine";
  const listing = spawnSync("objdump", ["-d", "--no-show-raw-insn", loader], { encoding: "utf8", maxBuffer: 1 << 28 });
  if (listing.status !== 0) return "needs objdump";
  const offsets = [...listing.stdout.matchAll(/^ *([0-9a-f]+):\t(?:cpuid|xgetbv)/gm)].map((match) => match[1]!).join(",");
  const file = path.join(folder, "play-processor");
  const source = path.join(import.meta.dirname, "play-processor.c");
  if (!fs.existsSync(file) && spawnSync("gcc", ["-O1", "-static", "-o", file, source]).status !== 0) return "needs gcc and a static libc";
  const tried = spawnSync(file, [offsets, "GenuineIntel", "", loader, "--version"], { encoding: "utf8", timeout: 20_000 });
  return tried.status === 125 || tried.status === null ? "needs the right to trace programs" : { file, offsets };
}

/** What /proc/cpuinfo would say on a processor: its CPUID, asked by a program that needs no loader and no compiler. */
export function askCpuid(before: string[] = []): string | undefined {
  const folder = fs.mkdtempSync("/tmp/culprit-cpuid-");
  try {
    const file = path.join(folder, "cpuid");
    fs.writeFileSync(file, cpuidProgram(), { mode: 0o755 });
    const { stdout } = spawnSync([...before, file][0]!, [...before, file].slice(1), { timeout: 20_000 });
    return stdout?.length === 68 ? cpuinfoOf(stdout) : undefined;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

// Leaves 0, 1, 7 and 0x80000001, four registers each, then XCR0, to standard output.
const cpuidCode =
  "4883ec604989e431c031c90fa24189042441895c240441894c2408418954240cb80100000031c90fa2418944241041895c241441894c2418418954241c31c0418944" +
  "24400fbae11b730a31c90f01d04189442440b80700000031c90fa2418944242041895c242441894c2428418954242cb80100008031c90fa2418944243041895c2434" +
  "41894c2438418954243cb801000000bf010000004c89e6ba440000000f05b83c00000031ff0f05";

function cpuidProgram(): Uint8Array {
  const code = Buffer.from(cpuidCode, "hex");
  const file = Buffer.alloc(120 + code.length);
  const address = 0x400000;
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  file.writeUInt16LE(2, 16); // ET_EXEC
  file.writeUInt16LE(62, 18);
  file.writeUInt32LE(1, 20);
  file.writeBigUInt64LE(BigInt(address + 120), 24);
  file.writeBigUInt64LE(64n, 32);
  file.writeUInt16LE(64, 52);
  file.writeUInt16LE(56, 54);
  file.writeUInt16LE(1, 56);
  file.writeUInt32LE(1, 64); // PT_LOAD
  file.writeUInt32LE(5, 68); // read, execute
  file.writeBigUInt64LE(BigInt(address), 80);
  file.writeBigUInt64LE(BigInt(address), 88);
  file.writeBigUInt64LE(BigInt(file.length), 96);
  file.writeBigUInt64LE(BigInt(file.length), 104);
  file.writeBigUInt64LE(4096n, 112);
  file.set(code, 120);
  return file;
}

// By where the word of a register lies in the answer.
const flagBits: { [flag: string]: [word: number, bit: number] } = {
  pni: [6, 0],
  vmx: [6, 5],
  ssse3: [6, 9],
  fma: [6, 12],
  cx16: [6, 13],
  sse4_1: [6, 19],
  sse4_2: [6, 20],
  movbe: [6, 22],
  popcnt: [6, 23],
  avx: [6, 28],
  f16c: [6, 29],
  bmi1: [9, 3],
  avx2: [9, 5],
  bmi2: [9, 8],
  avx512f: [9, 16],
  avx512dq: [9, 17],
  avx512pf: [9, 26],
  avx512er: [9, 27],
  avx512cd: [9, 28],
  avx512bw: [9, 30],
  avx512vl: [9, 31],
  lahf_lm: [14, 0],
  abm: [14, 5],
};

/** As the kernel writes it, with the flags that matter here; what it did not switch on is not there. */
function cpuinfoOf(registers: Buffer): string {
  const word = (index: number) => registers.readUInt32LE(index * 4);
  const vendor = Buffer.concat([registers.subarray(4, 8), registers.subarray(12, 16), registers.subarray(8, 12)]).toString("latin1");
  const signature = word(4);
  const family = ((signature >> 8) & 15) + (((signature >> 8) & 15) === 15 ? (signature >> 20) & 255 : 0);
  const model = ((signature >> 4) & 15) | (6 <= family ? (signature >> 12) & 0xf0 : 0);
  const states = word(16);
  const isOn = (flag: string) =>
    flag.startsWith("avx512") ? (states & 0xe6) === 0xe6 : !/^(avx2?|fma|f16c)$/.test(flag) || (states & 6) === 6;
  const flags = Object.entries(flagBits).filter(([flag, [index, bit]]) => (word(index) >>> bit) & 1 && isOn(flag));
  return `vendor_id\t: ${vendor}\ncpu family\t: ${family}\nmodel\t\t: ${model}\nflags\t\t: ${flags.map(([flag]) => flag).join(" ")}\n`;
}
