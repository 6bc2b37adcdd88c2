import { declaredFact } from "../dependency-files/facts.ts";
import { readImage } from "../dependency-files/images.ts";
import { placeWords } from "../lib/place.ts";
import type { Install } from "../model/dependency-file.ts";
import { defineDependencyFileRule, type DependencyFileDraft } from "./rule.ts";

export default defineDependencyFileRule({
  id: "pip-refused",
  title: "The image has no pip, or one that installs nothing",
  cause: "package-conflict",
  severity: "error",
  notOn: { machines: "it is refused, so nothing of it is ever installed" },
  page: {
    what: "A Dockerfile calls pip where there is none, or where apt's own Python lets nobody else install (“externally-managed-environment”).",
    why: "The images of Ubuntu, of Debian and of nvidia/cuda have no Python. From Debian 12 and Ubuntu 23.04 on, the Python of apt is apt's alone (PEP 668): pip ends unless it is told otherwise.",
    how: "Only in these images, and only while every command before is known to have nothing to do with a Python: a script, a download, a copy from another stage, a changed PATH, and nothing is said.",
    fix: "Install python3-pip; make an environment of its own, or take an image of Python.",
    observed: "“/bin/sh: 1: pip: not found” and “error: externally-managed-environment”, in these images.",
  },
  finds: ({ declaration: { steps } }) => {
    // The build ends at the first.
    const step = steps.find((each): each is Install => each.kind === "install" && each.refusal !== undefined);
    if (!step) return [];
    const before = steps.slice(0, steps.indexOf(step)).findLast((each) => each.kind === "image");
    if (before?.kind !== "image") return [];
    return [step.refusal === "absent" ? absent(step, before) : managed(step, before)];
  },
});

type Image = { name: string; place: Install["place"] };

const factsOf = ({ packages }: Install) => ({ packages: packages.map((each) => declaredFact(each, "subject")) });

const absent = (step: Install, { name, place }: Image): DependencyFileDraft => ({
  subject: "pip",
  place: step.place,
  short: `${name} has no pip`,
  message: `the build ends here: ${name} has no pip, and nothing before installs one`,
  because: [`the base image is ${name} at ${placeWords(place)}: it has no Python`],
  advice: ["install it first: apt-get update && apt-get install -y python3-pip", "or take an image of Python, such as python:3.12-slim"],
  facts: factsOf(step),
  breaks: [],
});

function managed(step: Install, { name, place }: Image): DependencyFileDraft {
  const { ubuntu, systemPython } = readImage(name, place);
  const python = ubuntu === undefined || systemPython === undefined ? "the Python of apt" : `Python ${systemPython}, as apt brings it,`;
  return {
    subject: "pip",
    place: step.place,
    short: "pip says “externally-managed-environment”",
    message: "the build ends here: pip says “externally-managed-environment”, and installs nothing",
    because: [`the base image is ${name} at ${placeWords(place)}`, `${python} is for packages of apt alone there (PEP 668)`],
    advice: [
      "make an environment: python3 -m venv /opt/venv, with ENV PATH=/opt/venv/bin:$PATH after it (apt: python3-venv)",
      "or tell pip so: pip install --break-system-packages …",
    ],
    facts: factsOf(step),
    breaks: [],
    sources: ["https://peps.python.org/pep-0668/"],
  };
}
