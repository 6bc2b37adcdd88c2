// A package beside releases of others that it does not take by its own word: its import may work, and what comes then is unknown by name.
import { expect, test } from "vitest";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { needs } from "../needs.ts";
import { pure, told } from "./told.ts";

const loader = needs({ loader: glibcLoader !== undefined });
const python = { "rays/__init__.py": "import waves\n" };
const waves = (version: string): Files => pure("waves", { "waves/__init__.py": "" }, [], version);

test.each([
  ["waves<2.2", "3.0.0"],
  ["waves==2.8.0", "2.9.0"],
])("one that asks for %s beside %s", loader, async (asked, version) => {
  const [, specifier] = /^waves(.*)$/.exec(asked)!;
  expect(await told(python, waves(version), [asked], true)).toEqual([
    `what rays 1.0 does with waves: it asks for waves${specifier}, and ${version} is installed: beyond its import that was not followed`,
  ]);
});

test.each([
  ["a release that it takes", "waves<4", "3.0.0"],
  ["another patch", "waves==2.8.0", "2.8.1"],
  ["what it asks for with an extra alone", 'waves<2; extra == "train"', "3.0.0"],
])("nothing is said of %s", loader, async (_, asked, version) => {
  expect(await told(python, waves(version), [asked])).toEqual([]);
});

test("what a loop of its own checks may pass over what it asks for with an extra alone: transformers and accelerate", loader, async () => {
  const check = 'names = "waves".split()\nfor name in names:\n    require_version_core(deps[name])\n';
  expect(await told({ "rays/__init__.py": check }, waves("3.0.0"), ['waves<2; extra == "train"'])).toEqual([]);
  expect(await told({ "rays/__init__.py": check }, waves("3.0.0"), ["waves<2"])).toEqual([
    "import-fails waves<2 is required for a normal functioning of this module, but found waves==3.0.0.",
  ]);
});
