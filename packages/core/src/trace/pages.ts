// Something about each of many numbers that grow by one (calls, operators): in pages, so that it costs what there is, and no more than is allowed.

const pageBits = 12;
export const pageSize = 1 << pageBits;

/** By number; nothing of numbers that are none, and of those that come when there is no more room. */
export interface Pages<Page> {
  /** The page of a number, made if need be. */
  at(number: number): Page | undefined;
  known(number: number): Page | undefined;
  all(): Iterable<Page>;
  /** In the order of their numbers. */
  ordered(): Page[];
  clear(): void;
}

/** `room`: how many pages there may be, of all that share it. */
export function createPages<Page>(room: { left: number }, make: () => Page): Pages<Page> {
  const pages = new Map<number, Page>();
  // Most numbers are on the page of the one before.
  let last: Page | undefined;
  let lastIndex = -1;
  return {
    at(number) {
      if (!(0 < number && number < 0x20_0000_0000_0000)) return undefined;
      const index = pageOf(number);
      if (index === lastIndex) return last;
      let page = pages.get(index);
      if (!page) {
        if (room.left === 0) return undefined;
        room.left -= 1;
        page = make();
        pages.set(index, page);
      }
      last = page;
      lastIndex = index;
      return page;
    },
    known: (number) => pages.get(pageOf(number)),
    all: () => pages.values(),
    ordered: () => [...pages].sort(([a], [b]) => a - b).map(([, page]) => page),
    clear: () => pages.clear(),
  };
}

/** The place of a number within its page. */
export const slotOf = (number: number) => (isSmall(number) ? number & (pageSize - 1) : number % pageSize);

const pageOf = (number: number) => (isSmall(number) ? number >>> pageBits : Math.floor(number / pageSize));

/** Shifting is much cheaper than dividing, where it gives the same. */
const isSmall = (number: number) => number === (number | 0) && 0 <= number;
