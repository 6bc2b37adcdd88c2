import { describe, expect, test } from "vitest";
import { glibcLoader } from "../loader/answers.ts";
import { findings, healthy, loud, named, toolkit } from "./python-stack.ts";
import { needs } from "../needs.ts";

const with118 = { ...healthy(), ...toolkit("11.8") };
const with124 = { ...healthy(), ...toolkit("12.4") };
const both = { ...with118, ...toolkit("12.4") };

describe("CUDA_HOME that leads astray", needs({ glibc: glibcLoader }), () => {
  test.each(["/usr/local/cuda-12.9", "/usr/local/cuda-12.4/lib64"])("%s, while a toolkit is installed", async (home) => {
    const [found, ...others] = await findings(with124, { environment: { CUDA_HOME: home } });
    expect(others).toEqual([]);
    expect(found).toMatchObject({ rule: "cuda-home-wrong", severity: "warning", cause: "cuda-home-wrong", subject: "CUDA_HOME" });
    expect(found!.advice[0]!.command).toEqual(["export", "CUDA_HOME=/usr/local/cuda-12.4"]);
  });

  test("who set it is named", async () => {
    const files = { ...with124, "/etc/profile.d/cuda.sh": { text: "export CUDA_HOME=/opt/gone\n" } };
    const [found] = await findings(files, { environment: { CUDA_HOME: "/opt/gone" } });
    expect(found!.because).toContain("CUDA_HOME=/opt/gone, set in /etc/profile.d/cuda.sh:1");
  });

  test("without a compiler anywhere it makes no difference", async () => {
    const files = { ...healthy(), ...toolkit("12.4", { compiler: false }) };
    expect(await findings(files, { environment: { CUDA_HOME: "/usr/local/cuda-12.4" } })).toEqual([]);
    expect(await findings(healthy(), { environment: { CUDA_HOME: "/usr/local/cuda" } })).toEqual([]);
  });

  test("CUDA_HOME, PATH and LD_LIBRARY_PATH at toolkits of two majors are one finding", async () => {
    const [found, ...others] = loud(
      await findings(both, { environment: { CUDA_HOME: "/usr/local/cuda-11.8", PATH: "/usr/local/cuda-12.4/bin:/usr/bin" } }),
    );
    expect(others).toEqual([]);
    expect(found).toMatchObject({ rule: "cuda-home-wrong", severity: "warning", subject: "toolkits" });
    expect(found!.message).toBe("CUDA_HOME leads to CUDA 11.8, PATH leads to CUDA 12.4: these are different toolkits");
    const loaded = { PATH: "/usr/local/cuda-12.4/bin:/usr/bin", LD_LIBRARY_PATH: "/usr/local/cuda-11.8/lib64" };
    expect(named(loud(await findings(both, { environment: loaded })))).toEqual(["warning cuda-home-wrong"]);
  });

  test("two minors of one major go together", async () => {
    const files = { ...with124, ...toolkit("12.6") };
    const environment = { CUDA_HOME: "/usr/local/cuda-12.4", PATH: "/usr/local/cuda-12.6/bin:/usr/bin" };
    expect(named(await findings(files, { environment }))).toEqual(["info cuda-home-wrong"]);
  });
});
