// Where paths lead, over the facts of a snapshot.
import { keptWith } from "../lib/memo.ts";
import { createTrails, type Trail, type Walked } from "../lib/walk.ts";
import type { FileFact, Snapshot } from "../model/snapshot.ts";
import { changedOver, groundOf } from "./ground.ts";

type Files = Snapshot["files"];

export interface Places {
  walk(path: string): Walked<FileFact>;
}

/**
 * Facts that stay as they are share their ways: what a question has found out, the next one need not. So do those of a layer over them, for
 * as long as it says the same.
 */
export function placesFor(files: Files): () => Places {
  const ground = groundOf(files);
  if (!ground) {
    const own = placesIn(files);
    return () => own;
  }
  const changed = changedOver(ground, files);
  if (0 < changed.length) {
    const own = placesOver(ground, files, changed);
    return () => own;
  }
  // Whoever made the layer may put something into it yet.
  return () => {
    const later = changedOver(ground, files);
    return later.length === 0 ? placesOfGround(ground) : placesOver(ground, files, later);
  };
}

function placesOver(ground: Files, files: Files, changed: string[]): Places {
  const layer = layerOf(files);
  if (!layer.places || layer.facts.size !== new Set(changed).size || !changed.every((path) => layer.facts.get(path) === files[path])) {
    layer.facts = new Map(changed.map((path) => [path, files[path]]));
    layer.places = overGround(placesOfGround(ground), placesIn(files), layer.facts);
  }
  return layer.places;
}

/** A way that nothing in the layer crosses leads where it leads below. */
function overGround(below: Places, own: Places, changed: Map<string, unknown>): Places {
  const crossed = new Map<Trail, boolean>();
  const isCrossed = (trail: Trail): boolean => {
    let known = crossed.get(trail);
    if (known === undefined) {
      known = trail.reads.some((path) => changed.has(path)) || (trail.before !== undefined && isCrossed(trail.before));
      crossed.set(trail, known);
    }
    return known;
  };
  return {
    walk(path) {
      const walked = below.walk(path);
      return isCrossed(walked.trail) ? own.walk(path) : walked;
    },
  };
}

const placesOfGround = keptWith((ground: Files): Places => placesIn(ground));
const layerOf = keptWith((_files: Files): { facts: Map<string, FileFact | undefined>; places?: Places } => ({ facts: new Map() }));

const absent: FileFact = { kind: "absent" };

function placesIn(files: Files): Places {
  const listings = new Map<string, Set<string>>();
  const namesOf = (folder: string) => {
    const known = listings.get(folder);
    const fact = known ? undefined : files[folder];
    if (fact?.kind !== "folder" || !fact.names) return known;
    const names = new Set(fact.names);
    listings.set(folder, names);
    return names;
  };
  const walk = createTrails<FileFact>(
    (path, reads) => {
      const fact = files[path];
      reads.push(path);
      if (fact !== undefined) return fact;
      const slash = path.lastIndexOf("/");
      const folder = path.slice(0, slash) || "/";
      reads.push(folder);
      const names = namesOf(folder);
      return names !== undefined && !names.has(path.slice(slash + 1)) ? absent : undefined;
    },
    { kind: "folder" },
  );
  return { walk };
}
