/** So many at once, so many a second after that; for each key by itself. */
export interface RateLimit {
  /** Whether one more is too many. */
  isTooMuch: (key: string) => boolean;
}

/** Keys come from outside: when there are too many, those that were quiet longest are forgotten. */
const mostKeys = 20_000;

export function rateLimit({ atOnce, perSecond }: { atOnce: number; perSecond: number }, now: () => number = Date.now): RateLimit {
  const left = new Map<string, { amount: number; at: number }>();
  return {
    isTooMuch: (key) => {
      const known = left.get(key);
      const at = now();
      const amount = known ? Math.min(atOnce, known.amount + ((at - known.at) / 1000) * perSecond) : atOnce;
      left.delete(key);
      left.set(key, { amount: Math.max(0, amount - 1), at });
      if (mostKeys < left.size) left.delete(left.keys().next().value!);
      return amount < 1;
    },
  };
}
