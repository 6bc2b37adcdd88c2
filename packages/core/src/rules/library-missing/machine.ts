import { pipAdvice } from "../../diagnose/pip.ts";
import { packageProviding, wheelsProviding } from "../../knowledge/packages.ts";
import { nameOf } from "../../lib/path.ts";
import type { Advice } from "../../model/finding.ts";
import { machineSide } from "../rule.ts";
import page from "./page.ts";
import { cudaMajorOf, stopName, triedWords } from "../../diagnose/words.ts";

export default machineSide(page, {
  absence: true,
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
      short: `${name} is not installed`,
      message: `${name} is not installed, and ${stopName(run, stop)} needs it`,
      because: [`${failed.requestedBy} asks for it`],
      evidence: [failed.message, ...triedWords(failed)],
      advice: [
        ...(0 < wheels.length ? [pipAdvice(run.environment, "install the wheel that brings it", "install", wheels[0]!)] : []),
        ...(0 < debian.length ? [apt(debian[0]!, 0 < wheels.length)] : []),
        ...(wheels.length === 0 && debian.length === 0 ? [`install the package that brings ${name}`] : []),
      ],
    };
  },
});

const apt = (name: string, isOther: boolean): Advice => ({
  words: `${isOther ? "or, " : ""}for the whole system`,
  command: ["sudo", "apt", "install", name],
  scope: "install",
});
