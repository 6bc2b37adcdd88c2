// The variables are those that programs printed that were started under ncu 2025.3.1 and compute-sanitizer of CUDA 13.0.
import { describe, expect, test } from "vitest";
import { keptVariables } from "../../packages/core/src/collect/environment.ts";
import { glibcLoader } from "../loader/answers.ts";
import { check, machine, serious, torch, wordsOf } from "./profiled-root.ts";
import { needs } from "../needs.ts";

const files = { ...torch(), ...machine("NVIDIA H200") };
const target = "/opt/nvidia/nsight-compute/2025.3.1/target/linux-desktop-glibc_2_11_3-x64";
const ncu = {
  NV_NSIGHT_INJECTION_TRANSPORT_TYPE: "uds",
  NV_NSIGHT_INJECTION_PORT_BASE: "49152",
  NV_COMPUTE_PROFILER_PERFWORKS_DIR: `${target}/.`,
  NV_TPS_LAUNCH_TOKEN: "Interactive Profile",
  NV_CUDA_START_SUSPENDED: "1",
  LD_LIBRARY_PATH: `${target}/.`,
};
const sanitizer = {
  NV_SANITIZER_INJECTION_TRANSPORT_TYPE: "uds",
  NV_SANITIZER_INJECTION_PORT_BASE: "49152",
  NVTX_INJECTION64_PATH: "libsanitizer-collection.so",
  LD_LIBRARY_PATH: "/usr/local/cuda-13.0/compute-sanitizer",
};

describe("another profiler is in the process", needs({ glibc: glibcLoader }), () => {
  test.each([
    ["Nsight Compute (ncu)", "certain", ncu],
    ["Compute Sanitizer", "likely", sanitizer],
    [
      "Nsight Systems (nsys)",
      "likely",
      { NSYS_PROFILING_SESSION_ID: "4711", CUDA_INJECTION64_PATH: "/opt/nvidia/nsight-systems/target-linux-x64/libToolsInjection64.so" },
    ],
    ["Nsight Systems (nsys)", "likely", { LD_PRELOAD: "/opt/nvidia/nsight-systems/target-linux-x64/libToolsInjectionProxy64.so" }],
  ])("%s: %s", async (tool, certainty, environment) => {
    const answer = await check(files, { for: "torch", do: ["profile"], environment: environment as { [name: string]: string } });
    expect(serious(answer)).toMatchObject([
      {
        rule: "second-profiler",
        cause: "profiler-conflict",
        severity: "error",
        certainty,
        subject: tool,
        breaks: [{ framework: "torch", activity: "profile" }],
      },
    ]);
    expect(answer.readiness).toBeUndefined();
  });

  test("a variable that was left behind in a start-up file is named with its line", async () => {
    const path = "/opt/nvidia/nsight-systems/target-linux-x64/libToolsInjection64.so";
    const left = { "/etc/profile.d/nsys.sh": { text: `export CUDA_INJECTION64_PATH=${path}\n` } };
    const [finding] = serious(
      await check({ ...files, ...left }, { for: "torch", do: ["profile"], environment: { CUDA_INJECTION64_PATH: path } }),
    );
    expect(wordsOf(finding!)).toContain("set in /etc/profile.d/nsys.sh:1");
    expect(finding!.advice[0]).toEqual({
      words: "for one command",
      command: ["env", "-u", "CUDA_INJECTION64_PATH", "COMMAND"],
      scope: "once",
    });
  });

  test("a library that we do not know may use CUPTI or not", async () => {
    const answer = await check(files, { for: "torch", do: ["profile"], environment: { CUDA_INJECTION64_PATH: "/opt/mine/libtracer.so" } });
    expect(serious(answer)).toMatchObject([{ rule: "second-profiler", severity: "warning", certainty: "possible", breaks: [] }]);
  });

  test.each([
    { CUDA_INJECTION64_PATH: "none" },
    { NVTX_INJECTION64_PATH: "/opt/mine/libnvtx-collector.so" },
    { NSYS_NVTX_PROFILER_REGISTER_ONLY: "0" },
  ])("%j is nothing", async (environment) =>
    expect(
      serious(await check(files, { for: "torch", do: ["profile"], environment: environment as unknown as { [name: string]: string } })),
    ).toEqual([]),
  );

  test("what does not profile is left alone", async () => {
    expect(serious(await check(files, { for: "torch", do: ["matmul"], environment: ncu }))).toEqual([]);
  });
});

test("a snapshot keeps the variables that show another profiler", () => {
  const environment = { ...ncu, ...sanitizer, NSYS_PROFILING_SESSION_ID: "1", NVPROF_ID: "1", SECRET: "x" };
  expect(Object.keys(keptVariables(environment))).toEqual(
    Object.keys(environment)
      .filter((name) => name !== "SECRET")
      .sort(),
  );
});
