import { once } from "../lib/memo.ts";
import { isPlain } from "./plain-packages.ts";
import { unrelated } from "./texts/unrelated.generated.ts";

const names = once(() => new Set(unrelated().lists.flatMap((list) => list.names)));

/** Whether a package is known to ask for no framework and for no library of a GPU. */
export const isUnrelated = (name: string): boolean => names().has(name) || isPlain(name);
