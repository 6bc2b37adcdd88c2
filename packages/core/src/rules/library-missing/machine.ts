import { packageProviding, wheelsProviding } from "../../knowledge/packages.ts";
import { nameOf } from "../../lib/path.ts";
import type { Advice } from "../../model/finding.ts";
import { defineRule } from "../../diagnose/rule.ts";
import type { Run } from "../../diagnose/stack.ts";
import { cudaMajorOf, stopName, triedWords } from "../../diagnose/words.ts";

export default defineRule({
  id: "library-missing",
  absence: true,
  title: "A library is not installed anywhere",
  cause: "library-missing",
  severity: "error",
  page: {
    what: "A program asks for a library under an exact name, and no file of that name was found on the machine.",
    why: "Names carry the version: `libcupti.so.11.2` is not satisfied by `libcupti.so.11.7`. A framework's wheel that does not bring its libraries, or an installation without its CUDA extra, leaves them to chance.",
    how: "The loader's search is replayed path by path, and every copy of every known library on the machine is listed; none has that name.",
    mend: "Install the package that brings that very name. Do not link another version under it.",
    observed: "On an H200 with single libraries moved away; with real wheels on a machine without a GPU.",
  },
  blames(stack, stop, run) {
    const failed = stop.failure.underlying ?? stop.failure;
    if (failed.reason !== "not-found" || stop.failure.refusal?.kind === "version") return undefined;
    const name = nameOf(failed.name);
    const major = cudaMajorOf(run, stop.program);
    // ptxas is a program: its wheel lists no library by which it could be found.
    const wheels =
      name === "ptxas" ? [`nvidia-cuda-nvcc${major === 13 ? "" : `-cu${major}`}`] : wheelsProviding(name, major).map((found) => found.name);
    // Names of NVIDIA's packages hold the release of CUDA.
    const cuda = /^(\d+)\.(\d+)/.exec(run.programs.find(({ id }) => id === stop.program)?.compiledFor["cuda"]?.version ?? "");
    const branch = stack.inventory.driver.kernel?.split(".")[0];
    const debian = packageProviding(name, "apt-nvidia")
      .map((found) => (cuda ? found.name.replace("X-Y", `${cuda[1]}-${cuda[2]}`) : found.name))
      .map((found) => (branch === undefined ? found : found.replace("NNN", branch)))
      .filter((found) => !/X-Y|NNN/.test(found));
    return {
      specificity: 1,
      subject: name,
      message: `${name} is not installed, and ${stopName(run, stop)} needs it`,
      because: [`${failed.requestedBy} asks for it`],
      evidence: [failed.message, ...triedWords(failed)],
      advice: [
        ...(0 < wheels.length ? [pip(run, wheels[0]!)] : []),
        ...(0 < debian.length ? [apt(debian[0]!, 0 < wheels.length)] : []),
        ...(wheels.length === 0 && debian.length === 0 ? [`install the package that brings ${name}`] : []),
      ],
    };
  },
});

const pip = ({ environment }: Run, wheel: string): Advice => ({
  words: "install the wheel that brings it",
  command: [...(environment ? [environment.python, "-m"] : []), "pip", "install", wheel],
  scope: "install",
});

const apt = (name: string, isOther: boolean): Advice => ({
  words: `${isOther ? "or, " : ""}for the whole system`,
  command: ["sudo", "apt", "install", name],
  scope: "install",
});
