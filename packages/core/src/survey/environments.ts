import type { PythonEnvironment } from "../model/environment.ts";
import type { View } from "../resolve/view.ts";
import { environmentAt, kindAt, namesIn, textAt } from "./python.ts";

/** The environment that a program would run in: the named one, the active one, or that of the first `python3` on PATH. */
export function chooseEnvironment(view: View, places: string[]): PythonEnvironment | undefined {
  if (0 < places.length) return places.map((place) => environmentAt(view, place)).find((found) => found !== undefined);
  const { VIRTUAL_ENV, CONDA_PREFIX } = view.snapshot.environment;
  for (const place of [VIRTUAL_ENV, CONDA_PREFIX, ...prefixesOnPath(view), "/usr/local", "/usr"]) {
    const found = place ? environmentAt(view, place) : undefined;
    if (found || 0 < view.needs.size) return found;
  }
  return undefined;
}

/** What the folders of PATH belong to. pyenv's shims are scripts that lead to the version its own file names. */
function prefixesOnPath(view: View): string[] {
  return (view.snapshot.environment["PATH"] ?? "/usr/local/bin:/usr/bin").split(":").flatMap((folder) => {
    if (folder.endsWith("/bin")) return [folder.slice(0, -4) || "/"];
    if (!folder.endsWith("/.pyenv/shims")) return [];
    const root = folder.slice(0, -6);
    const chosen = view.snapshot.environment["PYENV_VERSION"] ?? textAt(view, `${root}/version`)?.split("\n")[0]?.trim();
    return chosen ? [`${root}/versions/${chosen}`] : [];
  });
}

/** Every environment in the usual places; `places` limits the search to what was named. */
export function findEnvironments(view: View, places: string[]): PythonEnvironment[] {
  const found = new Map<string, PythonEnvironment>();
  for (const place of 0 < places.length ? places : usualPlaces(view)) {
    if (kindAt(view, place) === "none") continue;
    const environment = environmentAt(view, place);
    // By the folder of its interpreter: where /bin is a link to /usr/bin, / and /usr are one.
    const at = environment ? view.lookup(`${environment.prefix}/bin`) : undefined;
    if (environment && at && "found" in at && !found.has(at.found)) found.set(at.found, environment);
  }
  return [...found.values()];
}

/** On a machine that people share only the caller's own home: what is in others' is looked at when it is named. An image or a folder is one whole. */
function homesIn(view: View): string[] {
  const { environment, target, user } = view.snapshot;
  const own = environment["HOME"] ?? (user.uid === 0 ? "/root" : undefined);
  const isWhole = target.kind === "root" || target.kind === "image";
  const all = isWhole ? ["/root", ...(namesIn(view, "/home") ?? []).map((name) => `/home/${name}`)] : [];
  return [...new Set([...(own === undefined ? [] : [own]), ...(user.uid === 0 ? ["/root"] : []), ...all])];
}

/** Where people and tools put environments. */
export function usualPlaces(view: View): string[] {
  const { environment } = view.snapshot;
  const homes = homesIn(view);
  const below = (folder: string) => (namesIn(view, folder) ?? []).map((name) => `${folder}/${name}`);
  const places = [
    environment["VIRTUAL_ENV"],
    environment["CONDA_PREFIX"],
    `${view.cwd}/.venv`,
    `${view.cwd}/venv`,
    ...prefixesOnPath(view),
    "/usr",
    "/usr/local",
    "/opt/venv",
    "/opt/conda",
    ...below("/opt/conda/envs"),
    ...below("/opt").flatMap((folder) => [folder, `${folder}/.venv`, `${folder}/venv`]),
    "/app/.venv",
    "/workspace/.venv",
  ];
  for (const home of homes) {
    for (const base of ["miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba"])
      places.push(`${home}/${base}`, ...below(`${home}/${base}/envs`));
    for (const folder of [
      ".pyenv/versions",
      ".virtualenvs",
      ".conda/envs",
      ".cache/pypoetry/virtualenvs",
      ".local/share/virtualenvs",
      ".local/share/uv/python",
      "micromamba/envs",
    ])
      places.push(...below(`${home}/${folder}`));
    places.push(`${home}/.venv`, `${home}/venv`);
  }
  return [...new Set(places.filter((place) => place !== undefined && place !== ""))] as string[];
}
