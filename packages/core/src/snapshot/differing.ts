// Which paths of two stacks differ. Like folders are like texts, so nothing is read of what two stacks share.
import { counting, readFolders, type Entry, type JoinLimits, type ReadTexts, type StackText } from "./split.ts";

type Folder = string | Entry[];

interface Open {
  /** Which of the pairs. */
  pair: number;
  path: string;
  a: Folder;
  b: Folder;
}

/** For each pair of stacks, the paths at which they differ, in order. All pairs are gone through side by side, a level of folders at a time. */
export async function differingPaths(pairs: [a: StackText, b: StackText][], read: ReadTexts, limits: JoinLimits): Promise<string[][]> {
  const answers = pairs.map((): string[] => []);
  // Both sides of a pair may be as large as a stack may be.
  const counts = pairs.map(() => counting({ facts: limits.facts * 2, characters: limits.characters * 2 }));
  const texts = new Map<string, Entry[]>();
  const namesIn = namesReader(texts);
  let open = pairs.map(([[, a], [, b]], pair): Open => ({ pair, path: "", a, b })).filter(isOther);
  while (0 < open.length) {
    await readFolders(
      open.flatMap(({ a, b }) => [a, b]),
      texts,
      read,
    );
    const next: Open[] = [];
    for (const { pair, path, a, b } of open) {
      for (const { name, isFactOther, folders } of otherNames(namesIn(a), namesIn(b))) {
        const at = path === "" && name === "" ? "/" : `${path}/${name}`;
        counts[pair]!(1, at.length);
        if (isFactOther) answers[pair]!.push(at);
        next.push({ pair, path: at, ...folders });
      }
    }
    open = next.filter(isOther);
  }
  return answers.map((paths) => paths.sort());
}

const isOther = ({ a, b }: Open): boolean => (typeof a === "string" && typeof b === "string" ? a !== b : 0 < a.length || 0 < b.length);

type Names = Map<string, { entry: Entry; text: string }>;

/** What is in a folder, by name. The usual one is compared with many others, and taken apart once. */
function namesReader(texts: Map<string, Entry[]>): (folder: Folder) => Names {
  const known = new Map<string, Names>();
  const apart = (entries: Entry[]): Names => new Map(entries.map((entry) => [entry[0], { entry, text: JSON.stringify(entry) }]));
  return (folder) => {
    if (typeof folder !== "string") return apart(folder);
    const names = known.get(folder) ?? apart(texts.get(folder)!);
    known.set(folder, names);
    return names;
  };
}

function* otherNames(a: Names, b: Names): Generator<{ name: string; isFactOther: boolean; folders: { a: Folder; b: Folder } }> {
  for (const name of new Set([...a.keys(), ...b.keys()])) {
    const [first, second] = [a.get(name), b.get(name)];
    if (first?.text === second?.text) continue;
    const [[, fact = null, folder = null], [, other = null, below = null]] = [first?.entry ?? [], second?.entry ?? []];
    const isFactOther = JSON.stringify(fact) !== JSON.stringify(other);
    yield { name, isFactOther, folders: { a: folder ?? [], b: below ?? [] } };
  }
}
