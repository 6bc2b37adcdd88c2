// The only places where a module may keep what it has worked out (`tests/module-state.test.ts`): all of them are bounded.

/** Works something out when it is first asked for, and keeps it. */
export function once<T>(work: () => T): () => T {
  let kept: { value: T } | undefined;
  return () => (kept ??= { value: work() }).value;
}

/**
 * What was worked out for an object, for as long as somebody has that object. Nothing is held that its owner does not hold.
 */
export function keptWith<Owner extends object, Value>(make: (owner: Owner) => Value): (owner: Owner) => Value {
  const values = new WeakMap<Owner, Value>();
  return (owner) => {
    let value = values.get(owner);
    if (value === undefined) values.set(owner, (value = make(owner)));
    return value;
  };
}

interface Held {
  bound: number;
  held(): number;
}

// Every memo is made once, when its module is loaded.
const memos: Held[] = [];

/** How many answers all memos hold now, and how many they may hold. */
export const heldByMemos = (): { held: number; bound: number } => ({
  held: memos.reduce((sum, memo) => sum + memo.held(), 0),
  bound: memos.reduce((sum, memo) => sum + memo.bound, 0),
});

/**
 * The same work with its answers kept: at most `bound` of them, whatever is asked. The answers are in two halves; when the younger one is
 * full, the older one is dropped, so that what is asked for again and again stays. `keyOf` tells questions apart where there is more than
 * one argument.
 */
export function memo<Arguments extends unknown[], Value>(
  bound: number,
  work: (...given: Arguments) => Value,
  keyOf: (...given: Arguments) => unknown = (...given) => given[0],
): (...given: Arguments) => Value {
  const half = Math.floor(bound / 2);
  let young = new Map<unknown, Value>();
  let old = new Map<unknown, Value>();
  const keep = (key: unknown, value: Value) => {
    if (half <= young.size) [old, young] = [young, new Map()];
    young.set(key, value);
    return value;
  };
  memos.push({ bound, held: () => young.size + old.size });
  return (...given) => {
    const key = keyOf(...given);
    const value = young.get(key);
    if (value !== undefined || young.has(key)) return value as Value;
    return keep(key, old.has(key) ? old.get(key)! : work(...given));
  };
}
