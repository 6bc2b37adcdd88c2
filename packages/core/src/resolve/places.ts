// Where paths lead, over the facts of a snapshot.
import { keptWith } from "../lib/memo.ts";
import { createTrails, type Walked } from "../lib/walk.ts";
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
    const own = placesOver(files, changed);
    return () => own;
  }
  // Whoever made the layer may put something into it yet.
  return () => {
    const later = changedOver(ground, files);
    return later.length === 0 ? placesOfGround(ground) : placesOver(files, later);
  };
}

function placesOver(files: Files, changed: string[]): Places {
  const layer = layerOf(files);
  if (!layer.places || layer.facts.size !== new Set(changed).size || !changed.every((path) => layer.facts.get(path) === files[path])) {
    layer.facts = new Map(changed.map((path) => [path, files[path]]));
    layer.places = placesIn(files);
  }
  return layer.places;
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
