import { declaredFact } from "../dependency-files/facts.ts";
import { readImage, type BaseImage } from "../dependency-files/images.ts";
import { labelIn } from "../dependency-files/install.ts";
import { frameworkOf } from "../dependency-files/words.ts";
import { glibcOnlyPackage, glibcOnlySources } from "../knowledge/glibc-only.ts";
import { normalName } from "../lib/pep508.ts";
import { placeWords } from "../lib/place.ts";
import type { DeclaredPackage, DeclaredStep, Install } from "../model/dependency-file.ts";
import { defineDependencyFileRule, type DependencyFileDraft } from "./rule.ts";

export default defineDependencyFileRule({
  id: "no-wheel-for-musl",
  title: "There is no wheel for Alpine's C library",
  cause: "wrong-wheel-platform",
  severity: "error",
  notOn: { machines: "it is refused, so it is never installed" },
  page: {
    what: "An image of Alpine (`python:3.12-alpine`) is told to install a package that PyPI has for glibc alone: torch, tensorflow, jaxlib, onnxruntime.",
    why: "Alpine's C library is musl, and a wheel for glibc (manylinux) is none for it. NVIDIA's libraries and drivers are made for glibc, too. pip says “No matching distribution found”.",
    how: "The base image, and the files of every release on PyPI: none for musl, none for any system, no source. Where another index is named, or something else may have brought a Python, nothing is said.",
    fix: "Take an image of Debian or Ubuntu: `python:3.12-slim`.",
    observed: "From the lists of files on PyPI.",
  },
  finds: ({ declaration: { steps } }) => {
    let image: BaseImage | undefined;
    const told = new Set<string>();
    return steps.flatMap((step): DependencyFileDraft[] => {
      if (step.kind === "image") image = readImage(step.name, step.place);
      // What conda brings is made for glibc, and so is its pip.
      else if (mayBringAnother(step)) image = undefined;
      if (image?.isMusl !== true || step.kind !== "install" || !isOfPypi(step)) return [];
      const base = image;
      return step.packages.flatMap((declared) => (isFresh(declared, told) ? draftsOf(declared, base) : []));
    });
  },
});

const mayBringAnother = (step: DeclaredStep): boolean =>
  step.kind === "unseen" || step.kind === "file" || (step.kind === "install" && step.manager === "conda");

const isOfPypi = ({ manager, isCopied, isThere, isLocked, indexes, links }: Install): boolean =>
  manager === "pip" &&
  isCopied !== true &&
  isThere !== true &&
  isLocked !== true &&
  [...indexes.map(({ url }) => url), ...links].every((url) => labelIn(url) !== undefined || /pypi\.org|pypi\.python\.org/.test(url));

function isFresh({ name, url, index, marker }: DeclaredPackage, told: Set<string>): boolean {
  const isTold = told.has(normalName(name));
  told.add(normalName(name));
  return !isTold && url === undefined && index === undefined && marker === undefined;
}

function draftsOf(declared: DeclaredPackage, image: BaseImage): DependencyFileDraft[] {
  const name = normalName(declared.name);
  const row = glibcOnlyPackage(name);
  if (!row) return [];
  const framework = frameworkOf(name);
  return [
    {
      subject: name,
      place: declared.place,
      short: `PyPI has no ${name} for Alpine`,
      message: `${declared.text} cannot be installed in ${image.name}: PyPI has no ${name} for musl, the C library of Alpine`,
      because: [
        `the base image is ${image.name} at ${placeWords(image.place)}`,
        "its wheels are for glibc (manylinux), and there is no source that pip could build",
      ],
      advice: ["take an image of Debian or Ubuntu, such as python:3.12-slim"],
      facts: { packages: [declaredFact(declared, "subject")] },
      breaks: framework === undefined ? [] : [{ framework, activity: "import" }],
      sources: glibcOnlySources(row),
    },
  ];
}
