// Compiled code that was made for another minor release of torch: all symbols can be there, and classes are laid out otherwise.
import { normalName } from "../../lib/pep508.ts";
import type { PythonEnvironment, PythonPackage } from "../../model/environment.ts";
import type { View } from "../../resolve/view.ts";
import { requirementsFor } from "../../survey/requirements.ts";
import { frameworks } from "../index.generated.ts";
import { pinOf } from "../pins.ts";

/** The release that a package asks for by its number, where another minor is installed (torchvision 0.23.0 beside torch 2.9.1: SIGSEGV). */
export function otherTorch(
  view: View,
  { packages }: PythonEnvironment,
  found: PythonPackage,
): { pin: string; version: string } | undefined {
  const pin = pinOf(view, found, "torch");
  const version = packages.find(({ name }) => name === "torch")?.version;
  const minor = (release: string) => release.split(".").slice(0, 2).join(".");
  return pin === undefined || version === undefined || minor(pin) === minor(version) ? undefined : { pin, version };
}

/** Packages upon torch that one asks for in any case, and that were made for another. */
export function misfitsBelow(view: View, environment: PythonEnvironment, found: PythonPackage): PythonPackage[] {
  const asked = new Set(requirementsFor(view, environment)(found).map(({ name }) => normalName(name)));
  return environment.packages.filter((each) => asked.has(each.name) && isUpon(each) && otherTorch(view, environment, each) !== undefined);
}

const isUpon = ({ name }: PythonPackage) => frameworks.some(({ upon, packages }) => upon?.includes("torch") && packages.includes(name));
