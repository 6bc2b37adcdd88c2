// Each combination was installed from PyPI, and TensorBoard's backend started in it with all its plugins.
import { describe, expect, test } from "vitest";
import { pluginClashes } from "../../packages/core/src/knowledge/profiler-plugins.ts";
import { isWithin } from "../../packages/core/src/lib/pep440.ts";
import type { ProfilerPlugins } from "../../packages/core/src/model/knowledge.ts";
import { installed } from "../frameworks/python-root.ts";
import { file } from "../knowledge/files.ts";
import { glibcLoader } from "../loader/answers.ts";
import { check, machine, serious, torch } from "./profiled-root.ts";
import { needs } from "../needs.ts";

const { releases, clashes } = file("profiler-plugins") as unknown as ProfilerPlugins;
const environment = (packages: { [name: string]: string }) => Object.entries(packages).map(([name, version]) => ({ name, version }));
const clashing = (packages: { [name: string]: string }, python = "3.11", variables = {}) =>
  pluginClashes(environment(packages), python, variables).map(({ id }) => id);

test.each<[{ [name: string]: string }, string[], string?]>([
  [{ tensorboard: "2.20.0", setuptools: "84.0.0" }, ["tensorboard-without-pkg-resources"]],
  [{ tensorboard: "2.20.0", setuptools: "81.0.0" }, []],
  [{ tensorboard: "2.21.0", setuptools: "84.0.0", protobuf: "7.36.2" }, []],
  [{ tensorboard: "2.20.0", "tensorboard-plugin-profile": "2.19.9" }, []],
  [{ tensorboard: "2.20.0", "tensorboard-plugin-profile": "2.19.9", xprof: "2.20.7", protobuf: "7.36.2" }, ["two-profile-plugins"]],
  [{ tensorboard: "2.20.0", "tensorboard-plugin-profile": "2.20.7", xprof: "2.20.7", protobuf: "7.36.2" }, []],
  [{ tensorboard: "2.20.0", xprof: "2.20.7", protobuf: "5.29.5" }, ["xprof-with-older-protobuf"]],
  [{ tensorboard: "2.20.0", xprof: "2.20.7", protobuf: "4.25.8" }, ["xprof-with-older-protobuf"]],
  [{ tensorboard: "2.20.0", xprof: "2.20.7", protobuf: "6.31.1" }, []],
  [
    { "tensorflow-cpu": "2.12.1", tensorboard: "2.12.3", "tensorboard-plugin-profile": "2.11.2", protobuf: "4.25.9" },
    ["plugin-with-protobuf-4"],
  ],
  [
    { "tensorflow-cpu": "2.12.1", tensorboard: "2.12.3", "tensorboard-plugin-profile": "2.13.0", protobuf: "4.25.9" },
    ["plugin-with-protobuf-4"],
  ],
  [{ "tensorflow-cpu": "2.12.1", tensorboard: "2.12.3", "tensorboard-plugin-profile": "2.13.0", protobuf: "3.20.3" }, []],
  [{ "tensorflow-cpu": "2.12.1", tensorboard: "2.12.3", "tensorboard-plugin-profile": "2.13.1", protobuf: "4.25.9" }, []],
  [
    { "tensorflow-cpu": "2.12.1", tensorboard: "2.12.3", "tensorboard-plugin-profile": "2.18.0", protobuf: "4.25.9" },
    ["plugin-without-etils"],
  ],
  [
    { tensorflow: "2.19.1", tensorboard: "2.19.0", "tensorboard-plugin-profile": "2.15.2", protobuf: "5.29.5" },
    ["plugin-with-newer-tensorflow"],
  ],
  [{ tensorflow: "2.19.1", tensorboard: "2.19.0", "tensorboard-plugin-profile": "2.19.9", protobuf: "5.29.5" }, []],
  [{ tensorboard: "2.20.0", "tensorboard-plugin-profile": "2.15.2" }, ["plugin-without-tensorflow"]],
  [{ tensorboard: "2.20.0", xprof: "2.22.3", protobuf: "6.30.2" }, ["xprof-with-older-protobuf"]],
  [{ tensorboard: "2.20.0", xprof: "2.24.1", protobuf: "4.25.8" }, []],
  [{ tensorboard: "2.20.0", "torch-tb-profiler": "0.4.3", numpy: "2.4.6", pandas: "3.1.1" }, []],
  [{ tensorboard: "2.19.0" }, ["tensorboard-without-imghdr"], "3.13"],
  [{ tensorboard: "2.20.0" }, [], "3.13"],
  [{ tensorboard: "2.16.2", numpy: "2.4.6" }, ["tensorboard-with-numpy-2"]],
  [{ tensorboard: "2.16.2", numpy: "1.26.4" }, []],
  [{ tensorboard: "2.17.1", numpy: "2.4.6" }, []],
  [{ tensorboard: "2.8.0", protobuf: "4.25.9" }, ["tensorboard-with-protobuf-4"]],
  [{ tensorboard: "2.8.0", protobuf: "3.20.3" }, []],
])("%j gives %j", (packages, expected, python) => expect(clashing(packages, python)).toEqual(expected));

test("the slow implementation of protobuf takes old messages", () => {
  const packages = { tensorflow: "2.12.1", "tensorboard-plugin-profile": "2.11.2", protobuf: "4.25.9" };
  expect(clashing(packages, "3.11", { PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION: "python" })).toEqual([]);
});

describe("what is said of ranges follows from the wheels", () => {
  const affected = (id: string, name: string) => {
    const range = clashes.find((clash) => clash.id === id)!.when[name]!;
    return releases.filter((release) => release.package === name && isWithin(release.version, range)).map(({ version }) => version);
  };
  const such = (name: string, is: (release: (typeof releases)[number]) => boolean | undefined) =>
    releases.filter((release) => release.package === name && is(release)).map(({ version }) => version);

  test.each<[string, string, (release: (typeof releases)[number]) => boolean | undefined]>([
    ["tensorboard-without-pkg-resources", "tensorboard", ({ imports }) => imports?.includes("pkg_resources")],
    ["tensorboard-without-imghdr", "tensorboard", ({ imports }) => imports?.includes("imghdr")],
    ["tensorboard-with-numpy-2", "tensorboard", ({ imports }) => imports?.includes("numpy.string_")],
    ["tensorboard-with-protobuf-4", "tensorboard", ({ generated }) => generated === "before 3.19"],
    ["plugin-with-protobuf-4", "tensorboard-plugin-profile", ({ generated }) => generated === "before 3.19"],
    ["plugin-without-tensorflow", "tensorboard-plugin-profile", ({ imports }) => imports?.includes("tensorflow")],
    [
      "plugin-without-etils",
      "tensorboard-plugin-profile",
      ({ imports, requires }) => imports?.includes("etils") && requires["etils"] === undefined,
    ],
    ["two-profile-plugins", "tensorboard-plugin-profile", ({ plugins }) => plugins?.includes("profile")],
    ["two-profile-plugins", "xprof", ({ plugins }) => plugins?.includes("profile")],
    ["xprof-with-older-protobuf", "xprof", ({ generated }) => generated === "6.31.1"],
  ])("%s: %s", (id, name, is) => expect(affected(id, name)).toEqual(such(name, is)));

  test("what was tried is within what is said", () => {
    for (const { id, tried, python } of clashes) expect(clashing(tried ?? {}, python === undefined ? "3.11" : "3.13"), id).toContain(id);
  });

  test("a remedy takes the clash away", () => {
    for (const { id, when, remedies } of clashes) {
      for (const remedy of remedies) {
        const [, name, range] = /^([a-z-]+)(?:\[\w+\])?(.*)$/.exec(remedy)!;
        const versions = releases
          .filter((release) => release.package === name && isWithin(release.version, range!))
          .map(({ version }) => version);
        if (when[name!] !== undefined)
          for (const version of versions) expect(isWithin(version, when[name!]!), `${id}: ${name} ${version}`).toBe(false);
      }
    }
  });
});

describe("in an environment with a framework", needs({ glibc: glibcLoader }), () => {
  const gpu = { ...torch(), ...machine("NVIDIA H200") };
  const board = { ...installed("tensorboard", "2.20.0"), ...installed("setuptools", "84.0.0") };

  test("it is a warning where something is there to show profiles with", async () => {
    const answer = await check({ ...gpu, ...board, ...installed("torch-tb-profiler", "0.4.3") }, { for: "torch" });
    expect(serious(answer)).toMatchObject([
      {
        rule: "profiler-plugin-versions",
        severity: "warning",
        subject: "tensorboard-without-pkg-resources in /venv",
        endangers: [{ framework: "torch", activity: "profile" }],
      },
    ]);
    expect(serious(answer)[0]!.advice[0]).toMatchObject({
      command: ["uv", "pip", "install", "--python", "/venv/bin/python3", "setuptools<82"],
      scope: "install",
    });
  });

  test("or where a profile was asked for; it will be recorded all the same", async () => {
    const answer = await check({ ...gpu, ...board }, { for: "torch", do: ["profile"] });
    expect(serious(answer)).toMatchObject([{ rule: "profiler-plugin-versions", severity: "warning" }]);
    expect(answer.readiness).toHaveLength(1);
  });

  test("else it is a remark, and a healthy neighbour is silent", async () => {
    expect((await check({ ...gpu, ...board }, { for: "torch" })).findings).toMatchObject([
      { rule: "profiler-plugin-versions", severity: "info" },
    ]);
    const healthy = {
      ...installed("tensorboard", "2.20.0"),
      ...installed("setuptools", "80.9.0"),
      ...installed("torch-tb-profiler", "0.4.3"),
    };
    expect((await check({ ...gpu, ...healthy }, { for: "torch" })).findings).toEqual([]);
  });
});
