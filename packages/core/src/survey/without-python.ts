// A virtual environment is a folder beside the Python that made it: copied into another system without it (a stage of a Dockerfile, a
// restored home), or left behind when that Python was replaced, nothing in it starts. It must not look like a place where nothing is.
import { absolute } from "../lib/path.ts";
import type { PythonEnvironment } from "../model/environment.ts";
import type { View } from "../resolve/view.ts";
import { usualPlaces } from "./environments.ts";
import { kindAt, textAt } from "./python.ts";
import type { Unseen } from "./unseen.ts";

/** Why nothing in the environment at a place can start, as the end of a sentence; undefined where it can, or where there is none. */
export function whyWithoutPython(view: View, place: string): string | undefined {
  const home = /^home\s*=\s*(.+)$/im.exec(textAt(view, `${place}/pyvenv.cfg`) ?? "")?.[1]?.trim();
  if (home === undefined) return undefined;
  const isGone = ["python3", "python"].every((name) => kindAt(view, `${place}/bin/${name}`) === "none");
  if (!isGone || view.blind.has(`${place}/bin/python3`)) return undefined;
  return kindAt(view, home) === "none"
    ? `has no Python that could start: it was made with the one in \`${home}\`, which is not there`
    : "has no Python that could start: its `bin/python3` leads nowhere";
}

/** Environments whose Python is gone: on one's own machine only the active one, or one that was named, is more than an aside. */
export function environmentsWithoutPython(view: View, named: string[], found: PythonEnvironment[]): Unseen[] {
  const { target, environment } = view.snapshot;
  const isWhole = target.kind === "root" || target.kind === "image";
  const places = (0 < named.length ? named : usualPlaces(view)).map((place) => absolute(place, view.cwd).replace(/(?<!\/)\/+$/, ""));
  return [...new Set(places)].flatMap((place) => {
    if (found.some(({ prefix }) => prefix === place)) return [];
    const reason = whyWithoutPython(view, place);
    const isNeeded = isWhole || 0 < named.length || place === environment["VIRTUAL_ENV"];
    return reason === undefined ? [] : [{ subject: place, reason, isNeeded, environments: [] }];
  });
}
