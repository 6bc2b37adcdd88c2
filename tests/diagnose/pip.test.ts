import { expect, test } from "vitest";
import { environmentWith, pipAdvice, pipOf } from "../../packages/core/src/diagnose/pip.ts";
import type { PythonEnvironment } from "../../packages/core/src/model/environment.ts";

const environment = (prefix: string, kind: PythonEnvironment["kind"], ...names: string[]): PythonEnvironment => ({
  prefix,
  kind,
  python: `${prefix}/bin/python`,
  version: "3.12",
  library: "/usr/lib/python3.12",
  path: [],
  sites: [`${prefix}/lib/python3.12/site-packages`],
  packages: names.map((name) => ({ name, version: "1", folder: "", metadata: "" })),
  notFollowed: [],
});

test("pip is the environment's own; without one, uv's words for it", () => {
  const again = ["install", "--force-reinstall", "--no-deps", "x==1"];
  expect(pipOf(environment("/v", "venv", "pip"), ...again)).toEqual(["/v/bin/python", "-m", "pip", ...again]);
  expect(pipOf(environment("/c", "conda"), ...again)).toEqual(["/c/bin/python", "-m", "pip", ...again]);
  expect(pipOf(environment("/v", "venv"), ...again)).toEqual([
    "uv",
    "pip",
    "install",
    "--python",
    "/v/bin/python",
    "--reinstall",
    "--no-deps",
    "x==1",
  ]);
  expect(pipOf(environment("/v", "venv"), "uninstall", "-y", "x")).toEqual(["uv", "pip", "uninstall", "--python", "/v/bin/python", "x"]);
  expect(pipOf(undefined, "install", "x")).toEqual(["python3", "-m", "pip", "install", "x"]);
});

test("a file is of the inner one of two environments", () => {
  const [outer, inner] = [environment("/opt", "conda"), environment("/opt/envs/a", "conda")];
  expect(environmentWith({ environments: [outer, inner] }, "/opt/envs/a/lib/libx.so")).toBe(inner);
  expect(environmentWith({ environments: [outer, inner] }, "/opt/lib/libx.so")).toBe(outer);
  expect(environmentWith({ environments: [outer, inner] }, "/optional/libx.so")).toBeUndefined();
});

test("who keeps an environment as a file says is told to change the file, too; the same release again is in it already", () => {
  const words = (prefix: string, ...rest: string[]) => pipAdvice(environment(prefix, "venv", "pip"), "install it", ...rest).words;
  const poetry = "/home/ada/.cache/pypoetry/virtualenvs/app-x1y2-py3.12";
  expect(words(poetry, "install", "numpy<2")).toBe("install it (and change pyproject.toml, too: Poetry puts back what is written there)");
  expect(words("/home/ada/.local/share/virtualenvs/app-x1y2", "install", "numpy<2")).toContain("the Pipfile");
  expect(words(poetry, "install", "--force-reinstall", "torch==2.5.1")).toBe("install it");
  expect(words("/srv/app/.venv", "install", "numpy<2")).toBe("install it");
});
