import { createPages, pageSize, slotOf } from "./pages.ts";

/**
 * Which operators the kernels belong to. torch gives each operator a number, which its kernels carry ("External id"), and either may come
 * first in the file; XLA writes the operator beside each kernel.
 */
export interface Operators {
  /** An operator of the host's has this number. */
  named(number: number, name: number): void;
  /** A kernel ran for the operator of this number. */
  ran(number: number, duration: number): void;
  /** A kernel ran for the operator of this name. */
  add(name: number, duration: number): void;
  /** What was added under one name is of another. */
  rename(from: number, to: number): void;
  /** By name; none where numbers of kernels and operators do not mean each other. */
  settled(): Map<number, OperatorSums>;
}

export interface OperatorSums {
  kernels: number;
  total: number;
}

/** Bounds the memory at about 130 MB: eight million operators. What comes after them is not told. */
const mostPages = 2000;

interface Page {
  names: Int32Array;
  kernels: Uint32Array;
  totals: Float64Array;
}

export function createOperators(): Operators {
  const pages = createPages<Page>({ left: mostPages }, () => ({
    names: new Int32Array(pageSize),
    kernels: new Uint32Array(pageSize),
    totals: new Float64Array(pageSize),
  }));
  const sums = new Map<number, OperatorSums>();

  const add = (name: number, kernels: number, total: number) => {
    const known = sums.get(name);
    if (!known) sums.set(name, { kernels, total });
    else {
      known.kernels += kernels;
      known.total += total;
    }
  };

  return {
    named(number, name) {
      const page = pages.at(number);
      if (page) page.names[slotOf(number)] = name;
    },
    ran(number, duration) {
      const page = pages.at(number);
      if (!page || !Number.isFinite(duration)) return;
      page.kernels[slotOf(number)]! += 1;
      page.totals[slotOf(number)]! += duration;
    },
    add: (name, duration) => add(name, 1, duration),
    rename(from, to) {
      const known = sums.get(from);
      if (!known || from === to) return;
      sums.delete(from);
      add(to, known.kernels, known.total);
    },
    settled() {
      const { matched, lost } = matchesOf(pages.all());
      // torch of 2022 and 2023 numbered both, and not alike: a few would meet by chance.
      if (lost <= matched / 20)
        for (const { names, kernels, totals } of pages.all())
          for (let slot = 0; slot < pageSize; slot += 1)
            if (0 < kernels[slot]! && names[slot] !== 0) add(names[slot]!, kernels[slot]!, totals[slot]!);
      pages.clear();
      return sums;
    },
  };
}

/** Kernels whose number is an operator's, and those whose is none's. */
function matchesOf(pages: Iterable<Page>): { matched: number; lost: number } {
  const found = { matched: 0, lost: 0 };
  for (const { names, kernels } of pages)
    for (let slot = 0; slot < pageSize; slot += 1) found[names[slot] === 0 ? "lost" : "matched"] += kernels[slot]!;
  return found;
}
