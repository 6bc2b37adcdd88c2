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
  const old = facts.notices("windows-build").find(({ found }) => Number(found) < 19044)?.found;
  const line = (command: string): string[] => {
    if (/\b(?:modprobe|rmmod|dkms|lsmod|lspci)\b|\/proc\/driver|linux-headers|\/dev\/nvidia|\bupdate-initramfs\b/.test(command)) return [];
    if (!container && /^(?:sudo )?docker\b/.test(command)) return [];
    return [command.replace(/^sudo reboot$/, "wsl.exe --shutdown")];
  };
  return {
    line,
    fix: (one, of) => {
      // There is no module of NVIDIA's in the kernel of WSL, and none is built.
      if (of.cause === "kernel-module-missing" || /kernel for which the module|kernel's headers/.test(one.fix)) return [];
      if (!newDriver.test(one.fix)) return isOfFolder(of) && !container && /--gpus all/.test(one.fix) ? [] : translated(one, line);
      return isOfFolder(of) && !container
        ? []
        : [{ ...one, fix: `${one.fix}, in Windows; under WSL Linux gets no driver of its own`, commands: [] }];
    },
    first: (of) =>
      old !== undefined && /^(?:driver-|kernel-module-)/.test(of.cause)
        ? [
            fix(
              `bring Windows up to date: build ${old} shows WSL no GPU; Windows 10 from 21H2 (build 19044) on and Windows 11 do, with an NVIDIA driver of Windows`,
            ),
          ]
        : of.cause === "kernel-module-missing"
          ? [
              fix(
                "under WSL there is no kernel module of NVIDIA's: bring the NVIDIA driver of Windows and WSL up to date, and remove any driver that was installed in Linux",
                "wsl.exe --update",
                "wsl.exe --shutdown",
              ),
            ]
          : isOfFolder(of) && !container
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
