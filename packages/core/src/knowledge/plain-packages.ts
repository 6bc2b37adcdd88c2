import { plainPackages } from "./texts/plain-packages.generated.ts";

/** Whether a package is known to have nothing to do with GPUs, whatever binaries it brings. */
export const isPlain = (name: string): boolean => Object.hasOwn(plainPackages().packages, name);
