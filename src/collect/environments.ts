import type { PythonEnvironment } from "../model/environment.ts";
import { environmentAt } from "./python.ts";
import type { View } from "../resolve/view.ts";

/** The environment that a program would run in: the named one, the active one, or the first `python3` on PATH. */
export function chooseEnvironment(view: View, places: string[]): PythonEnvironment | undefined {
  if (0 < places.length) return places.map((place) => environmentAt(view, place)).find((found) => found !== undefined);
  const { environment } = view.snapshot;
  const active = [environment["VIRTUAL_ENV"], environment["CONDA_PREFIX"]].filter((place) => place !== undefined && place !== "");
  const onPath = (environment["PATH"] ?? "/usr/local/bin:/usr/bin")
    .split(":")
    .filter((folder) => folder.endsWith("/bin"))
    .map((folder) => folder.slice(0, -4) || "/");
  for (const place of [...(active as string[]), ...onPath, "/usr/local", "/usr"]) {
    const found = environmentAt(view, place);
    if (found || 0 < view.needs.size) return found;
  }
  return undefined;
}
