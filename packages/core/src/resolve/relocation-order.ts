// In which order objects are relocated: what is needed before what needs it, as far as there are no circles. glibc elf/dl-sort-maps.c.
import type { LoadedObject, Process } from "./process.ts";
import { minorVersion } from "./verify.ts";

/** `mapped`: the root, and what it brought, in the order in which they were mapped. */
export function relocationOrder({ loader }: Process, mapped: LoadedObject[]): LoadedObject[] {
  const [root, ...others] = mapped;
  if (!root) return [];
  const sorted = 35 <= minorVersion(loader.fact.version) ? depthFirst(root, others) : shifted(others);
  return [root, ...sorted].toReversed();
}

// Since 2.35. The root's own dependencies are not written down yet when it is sorted.
function depthFirst(root: LoadedObject, others: LoadedObject[]): LoadedObject[] {
  const left = new Set(others);
  const backwards: LoadedObject[] = [];
  const visit = (object: LoadedObject): void => {
    if (object === root || !left.delete(object)) return;
    for (const dependency of object.dependencies ?? []) visit(dependency);
    backwards.push(object);
  };
  for (const object of others.toReversed()) visit(object);
  return backwards.reverse();
}

// Before: each object is moved behind the last one that needs it, until that has been tried for all; the counts end circles.
function shifted(others: LoadedObject[]): LoadedObject[] {
  const list = [...others];
  const seen = list.map(() => 0);
  for (let index = 0; index < list.length;) {
    seen[index]! += 1;
    const object = list[index]!;
    const last = list.findLastIndex((other) => other.dependencies?.includes(object));
    if (last <= index) index += 1;
    else {
      list.splice(last, 0, ...list.splice(index, 1));
      if (seen[index + 1]! <= list.length - index) {
        seen.splice(last, 0, ...seen.splice(index, 1));
        continue;
      }
      index += 1;
    }
    seen.fill(0, index);
  }
  return list;
}
