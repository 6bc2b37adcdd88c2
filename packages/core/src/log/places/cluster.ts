import { fix } from "../fixes.ts";
import { translated, type Place } from "./place.ts";

const ofRoot = /\bsudo\b|\breboot\b|\bmodprobe\b|\brmmod\b|\bsystemctl\b|\bupdate-initramfs\b|\bdkms\b|\bapt-get\b/;

const ofDocker = /\bdocker (?:run|restart|exec|compose)\b/;

/** On a cluster nobody but its administrators changes the nodes, and a GPU is there for who asks for one. */
export function cluster(scheduler: boolean): Place {
  const line = (command: string): string[] => (ofRoot.test(command) || ofDocker.test(command) ? [] : [command]);
  return {
    line,
    fix: (one) => {
      if (ofDocker.test([one.fix, ...one.commands].join("\n"))) return [];
      // For once, as root: nobody is root there.
      if (/\bas root\b/.test(one.fix)) return [];
      if (/NVIDIA driver|restart the machine|on the host/.test(one.fix) || one.commands.some((each) => ofRoot.test(each)))
        return [{ ...one, fix: `${one.fix}: a matter for the administrators`, commands: [] }];
      return translated(one, line);
    },
    first: ({ cause }) =>
      scheduler && cause === "driver-not-exposed"
        ? [fix("ask the scheduler for a GPU; this shows whether it gives one:", "srun --gres=gpu:1 nvidia-smi")]
        : [],
  };
}
