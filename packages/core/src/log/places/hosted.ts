import { supplyOf } from "../../knowledge/suppliers.ts";
import { fix } from "../fixes.ts";
import { objectNamed } from "../objects.ts";
import { aboutLibrary, newDriver, translated, type Place } from "./place.ts";

const isOfOldCuda = (cause: Parameters<Place["first"]>[0]["cause"], name: string): boolean => {
  const last = aboutLibrary.has(cause) ? objectNamed(name)?.cuda?.last : undefined;
  return last !== undefined && Number(last.split(".")[0]) <= 10;
};

/** The copy of a library that the packages of the framework bring, opened before anything else asks for its name. */
function ownCopy(name: string): string | undefined {
  const folder = supplyOf(name).wheel?.folder;
  return folder === undefined
    ? undefined
    : `import ctypes, sysconfig; ctypes.CDLL(sysconfig.get_path("purelib") + "/${folder}/${name}", mode=ctypes.RTLD_GLOBAL)`;
}

/** A hosted notebook: its driver and its container are not the user's, and the process runs already. */
export function hosted(hostName: "Colab" | "Kaggle", framework: string | undefined): Place {
  const line = (command: string): string[] => {
    if (
      /\bdocker\b|\breboot\b|\bmodprobe\b|\brmmod\b|\bsystemctl\b|\bdkms\b|\bLD_LIBRARY_PATH\b|\bculprit\b|\bconda\b|\bapt-get install (?:cuda-[a-z]+-(?:8|9|10)-\d|libcublas10)/.test(
        command,
      )
    )
      return [];
    // Each `!` is a shell of its own: what is set there is gone with it.
    const set = /^export((?: \w+=\S+)+)$/.exec(command)?.[1];
    if (set !== undefined)
      return [...set.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) =>
        value!.includes("$PATH")
          ? `import os; os.environ["${name}"] = "${value!.replace(/:?\$PATH:?/, "")}:" + os.environ["${name}"]`
          : `%env ${name}=${value}`,
      );
    return [command.startsWith("pip ") ? `%${command}` : `!${command.replace(/^sudo /, "")}`];
  };
  return {
    line,
    fix: (one) => {
      if (newDriver.test(one.fix) && one.commands.length === 0) return [];
      return translated(one, line).map((each) =>
        each.commands.some((command) => command.startsWith("%pip")) ? { ...each, fix: `${each.fix}; then restart the runtime` } : each,
      );
    },
    first: ({ cause, name = "" }) =>
      isOfOldCuda(cause, name)
        ? [
            fix(
              `the runtime has a newer CUDA, and nothing as old can be installed there: use the release of ${framework ?? "the framework"} that ${hostName} has, or run the program elsewhere, in an image of its time`,
            ),
          ]
        : cause === "library-shadowed" && ownCopy(name) !== undefined
          ? [
              fix(
                "open the wheel's own copy by its path, in the first cell after a restart of the runtime: what is opened already is not searched for",
                ownCopy(name)!,
              ),
            ]
          : cause === "driver-not-exposed"
            ? [fix(`give the notebook a GPU: ${hostName === "Colab" ? "Runtime, Change runtime type" : "Settings, Accelerator"}`)]
            : [],
  };
}
