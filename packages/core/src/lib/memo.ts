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

const missing = Symbol("not kept");

interface Answers<Value> {
  get(key: unknown): Value | typeof missing;
  keep(key: unknown, value: Value): Value;
}

/** At most `bound` answers, in two halves: when the younger one is full, the older one is dropped, so that what is asked for often stays. */
function answers<Value>(bound: number): Answers<Value> {
  const half = Math.floor(bound / 2);
  let young = new Map<unknown, Value>();
  let old = new Map<unknown, Value>();
  const keep = (key: unknown, value: Value) => {
    if (half <= young.size) [old, young] = [young, new Map()];
    young.set(key, value);
    return value;
  };
  memos.push({ bound, held: () => young.size + old.size });
  return {
    keep,
    get(key) {
      const value = young.get(key);
      if (value !== undefined || young.has(key)) return value as Value;
      return old.has(key) ? keep(key, old.get(key)!) : missing;
    },
  };
}

/** The same work with its answers kept: at most `bound` of them, whatever is asked. */
export function memo<Question, Value>(bound: number, work: (question: Question) => Value): (question: Question) => Value {
  const kept = answers<Value>(bound);
  return (question) => {
    const value = kept.get(question);
    return value === missing ? kept.keep(question, work(question)) : value;
  };
}

/** The same for work with several arguments; `keyOf` tells questions apart. */
export function memoBy<Arguments extends unknown[], Value>(
  bound: number,
  keyOf: (...given: Arguments) => string,
  work: (...given: Arguments) => Value,
): (...given: Arguments) => Value {
  const kept = answers<Value>(bound);
  return (...given) => {
    const key = keyOf(...given);
    const value = kept.get(key);
    return value === missing ? kept.keep(key, work(...given)) : value;
  };
}
