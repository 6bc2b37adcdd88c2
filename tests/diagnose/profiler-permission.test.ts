import { describe, expect, test } from "vitest";
import { glibcLoader } from "../loader/answers.ts";
import { check, cuda11, cupti, machine, serious, tensorflow } from "./profiled-root.ts";
import { needs } from "../needs.ts";

const capabilities = (mask: string) => ({ "/proc/self/status": { text: `Name:\tcat\nCapInh:\t0000000000000000\nCapEff:\t${mask}\n` } });
const nobody = capabilities("0000000000000000");
const closed = machine("NVIDIA GeForce RTX 2080 Ti", { RmProfilingAdminOnly: 1 });
const tf = { ...tensorflow("2.10.1"), ...cuda11 };
const own = cupti("/usr/lib", "libcupti.so.11.2", "libcupti.so.2020.3.1");

describe("counters are closed to this user", needs({ glibc: glibcLoader }), () => {
  test("an ordinary desktop, where the driver's default holds, is told nothing; the remark is there on request", async () => {
    const answer = await check({ ...tf, ...own, ...closed, ...nobody });
    expect(serious(answer)).toEqual([]);
    expect(answer.findings).toMatchObject([{ rule: "profiler-permission", severity: "info", endangers: [], breaks: [] }]);
  });

  test("also where a profile was asked for: timelines are recorded all the same", async () => {
    const answer = await check({ ...tf, ...own, ...closed, ...nobody }, { for: "tensorflow", do: ["profile"] });
    expect(serious(answer)).toEqual([]);
    expect(answer.readiness).toHaveLength(1);
  });

  test("a CUPTI of 10.1 refuses timelines, too: a warning, and only likely", async () => {
    const old = cupti("/usr/lib", "libcupti.so.10.1", "libcupti.so.10.1.208");
    const findings = serious(await check({ ...tf, ...old, ...closed, ...nobody }, { for: "tensorflow", do: ["profile"] }));
    expect(findings.filter(({ rule }) => rule === "profiler-permission")).toMatchObject([
      { severity: "warning", certainty: "likely", endangers: [{ framework: "tensorflow", activity: "profile" }] },
    ]);
  });

  test.each([
    ["root in a container with SYS_ADMIN", "0000003fffffffff"],
    ["CAP_PERFMON", "0000004000000000"],
  ])("%s may", async (_who, mask) => {
    expect((await check({ ...tf, ...own, ...closed, ...capabilities(mask) })).findings).toEqual([]);
  });

  test("where it is not known who would start the program, nothing is said", async () => {
    expect((await check({ ...tf, ...own, ...closed })).findings).toEqual([]);
  });
});
