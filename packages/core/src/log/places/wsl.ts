import type { Facts } from "../fact.ts";
import { fix, withFolder } from "../fixes.ts";
import { newDriver, translated, type Place } from "./place.ts";

/** Where Windows shows the libraries of its driver to Linux (NVIDIA's guide "CUDA on WSL"). */
const driverFolder = "/usr/lib/wsl/lib";

const isOfFolder = ({ cause, name = "" }: Parameters<Place["first"]>[0]): boolean =>
  (cause === "driver-not-exposed" || cause === "library-not-on-path" || cause === "library-missing") &&
  /^lib(?:cuda|nvidia-ml)\.so/.test(name);

/** WSL 2: the driver is that of Windows, and Linux gets none of its own. */
export function wsl(facts: Facts): Place {
  const container = facts.on("container");
  const line = (command: string): string[] => {
    if (/\b(?:modprobe|rmmod|dkms|lsmod|lspci)\b|\/proc\/driver|linux-headers|\/dev\/nvidia|\bupdate-initramfs\b/.test(command)) return [];
    if (!container && /^(?:sudo )?docker\b/.test(command)) return [];
    return [command.replace(/^sudo reboot$/, "wsl.exe --shutdown")];
  };
  return {
    line,
    fix: (one, of) => {
      if (!newDriver.test(one.fix)) return isOfFolder(of) && !container && /--gpus all/.test(one.fix) ? [] : translated(one, line);
      return isOfFolder(of) && !container
        ? []
        : [{ ...one, fix: `${one.fix}, in Windows; under WSL Linux gets no driver of its own`, commands: [] }];
    },
    first: (of) =>
      isOfFolder(of) && !container
        ? [
            {
              ...withFolder(driverFolder),
              fix: `let the loader look in \`${driverFolder}\`, where WSL keeps the libraries of Windows' driver`,
            },
            fix(
              "if that folder is empty: bring WSL and the NVIDIA driver of Windows up to date; Linux gets no driver of its own there",
              "wsl.exe --update",
            ),
          ]
        : [],
  };
}
