// What could not be seen, and matters: unreadable is unknown, never absent.
import { absolute } from "../lib/path.ts";
import type { PythonEnvironment } from "../model/environment.ts";
import type { Unknown } from "../model/snapshot.ts";
import { blockedAt, whyUnseen } from "../resolve/unseen.ts";
import type { View } from "../resolve/view.ts";

export interface Unseen extends Unknown {
  /** A verdict needs it; else it only explains one. */
  isNeeded: boolean;
  /** The environments that it belongs to. */
  environments: PythonEnvironment[];
}

/** Places that were asked about in vain, of those that decide: environments, the loader's own files, the driver, and who owns a file. */
export function unseenPlaces(views: View[], environments: PythonEnvironment[], named: string[]): Unseen[] {
  const found = new Map<string, Unseen>();
  for (const view of views) {
    const { kind } = view.snapshot.target;
    const { VIRTUAL_ENV, CONDA_PREFIX, LD_LIBRARY_PATH = "" } = view.snapshot.environment;
    const places = [...named, VIRTUAL_ENV, CONDA_PREFIX].flatMap((place) => (place ? [absolute(place, view.cwd)] : []));
    // Who may not enter a folder of the search path finds nothing there, and neither does a program that he starts: only of another system
    // nobody knows who starts it.
    const folders = kind === "root" ? LD_LIBRARY_PATH.split(/[:;]/).filter((folder) => folder.startsWith("/")) : [];
    for (const [path, code] of view.blind) {
      const own = environments.filter((environment) => isPartOf(path, environment));
      const isRecord = /\.(?:dist|egg)-info\//.test(path);
      const decides = 0 < own.length ? !isRecord : [...places, ...folders].some((place) => isBelow(path, place)) || loaderFiles.test(path);
      if (!decides && own.length === 0 && !explaining.test(path)) continue;
      const subject = blockedAt(view, path);
      const known = found.get(subject);
      found.set(subject, {
        subject,
        reason: whyUnseen(code),
        isNeeded: decides || known?.isNeeded === true,
        environments: [...new Set([...(known?.environments ?? []), ...(decides ? own : [])])],
      });
    }
  }
  return [...found.values()].sort((a, b) => (a.subject < b.subject ? -1 : 1));
}

const loaderFiles = /^\/etc\/ld\.so\.(?:cache|preload|conf|conf\.d)(?:\/|$)|^\/proc\/driver\/nvidia(?:\/|$)/;
/** Owners of files, toolkits, start-up files. */
const explaining =
  /^\/(?:var\/lib\/(?:dpkg|rpm)|usr\/lib\/sysimage\/rpm|usr\/share\/rpm|usr\/local\/cuda[^/]*|opt\/nvidia|etc\/(?:profile|profile\.d|environment|environment\.d|bash\.bashrc|bashrc|zsh[^/]*))(?:\/|$)/;

const isBelow = (path: string, folder: string) => {
  const top = folder.replace(/(?<!\/)\/+$/, "");
  return path === top || path.startsWith(`${top}/`);
};

// A system's own Python shares its folders with everything else; environments of others may lie within conda's.
function isPartOf(path: string, { prefix, kind, path: searchPath }: PythonEnvironment): boolean {
  if (searchPath.some((folder) => /(?:site|dist)-packages$/.test(folder) && isBelow(path, folder))) return true;
  if (kind === "system" || prefix === "/") return systemPackages.test(path) && isBelow(path, prefix);
  return isBelow(path, prefix) && !isBelow(path, `${prefix}/envs`) && !isBelow(path, `${prefix}/pkgs`);
}

const systemPackages = /^\/(?:usr\/)?(?:local\/)?lib(?:64)?\/python3(?:\.\d+)?(?:\/|$)/;
