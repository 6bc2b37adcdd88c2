import { once } from "../lib/memo.ts";
import { plainPackages } from "./texts/plain-packages.generated.ts";

const names = once(() => new Set(plainPackages().packages.map(({ name }) => name)));

/** Whether a package is known to have nothing to do with GPUs, whatever binaries it brings; this very program is one, whatever its name says. */
export const isPlain = (name: string): boolean => name === "culprit-gpu" || names().has(name);
