// The Python of an image: the one that its tag names, or that apt brings.
import { allPythons } from "../builds/build.ts";
import type { DeclaredStep } from "../model/dependency-file.ts";
import type { BaseImage } from "./images.ts";
import type { Base, PythonRange } from "./install.ts";

/** Packages of apt that bring, or need, the Python of the release. */
const ofRelease = /^(?:python3(?:-(?:pip|dev|venv|distutils|setuptools|wheel|full|minimal))?|python-is-python3)$/;

/** Packages of one Python, from the release or from another archive. */
const ofOne = /^python(3\.\d+)(?:-(?:dev|venv|distutils|minimal|full))?$/;

/** Where two are there and no command says which is meant, it may be either. */
export function pythonOf(steps: DeclaredStep[], image: BaseImage | undefined): Pick<Base, "python" | "range"> {
  if (image?.python !== undefined) return { python: image.python };
  // Images of frameworks have a Python of their own, and what others have nobody knows.
  if ((image?.kind !== "cuda" && image?.kind !== "plain") || image.isModules) return {};
  const isOther = steps.some(
    (step) =>
      (step.kind === "unseen" && step.what === "copied libraries") ||
      (step.kind === "python" && step.specifier === "") ||
      (step.kind === "install" && step.manager === "conda"),
  );
  if (isOther) return {};
  const apt = steps.flatMap((step) => (step.kind === "install" && step.manager === "apt" ? step.packages : []));
  const own = apt.find(({ name }) => ofRelease.test(name));
  if (own && image.systemPython === undefined) return {};
  const others = apt.flatMap(({ name }) => ofOne.exec(name)?.[1] ?? []);
  const found = new Set([...(own ? [image.systemPython!] : []), ...others]);
  const [only] = found;
  if (found.size < 2) return only === undefined ? {} : { python: only };
  const range = rangeOf(
    allPythons.filter((python) => found.has(python)),
    (own ?? apt.find(({ name }) => ofOne.test(name))!).place,
  );
  return range ? { range } : {};
}

/** Pythons as bounds: from the oldest to the newest, without those between that are not there. */
function rangeOf(pythons: string[], place: PythonRange["place"]): PythonRange | undefined {
  const [newest, oldest] = [pythons[0], pythons.at(-1)];
  if (newest === undefined || oldest === undefined) return undefined;
  const between = allPythons.slice(allPythons.indexOf(newest), allPythons.indexOf(oldest)).filter((each) => !pythons.includes(each));
  const specifier = [`>=${oldest}`, `<3.${Number(newest.slice(2)) + 1}`, ...between.map((each) => `!=${each}.*`)].join(",");
  return { text: pythons.toReversed().join(" or "), specifier, pythons, place };
}
