/** The longest of many events, as many as there is room for: short ones make place when it is full. */
export interface Longest {
  wants(duration: number): boolean;
  /** `link`: what it has in common with an event elsewhere; `detail`: what else is told of it; 0: nothing. */
  add(start: number, duration: number, thread: number, name: number, link?: number, detail?: number): void;
  /** What was shorter than this had to go. */
  readonly least: number;
  readonly count: number;
  readonly starts: Float64Array;
  readonly durations: Float64Array;
  readonly threads: Float64Array;
  readonly names: Int32Array;
  readonly links: Float64Array;
  readonly details: Int32Array;
}

export function createLongest(most: number): Longest {
  let starts: Float64Array = new Float64Array(1 << 10);
  let durations: Float64Array = new Float64Array(1 << 10);
  let threads: Float64Array = new Float64Array(1 << 10);
  let links: Float64Array = new Float64Array(1 << 10);
  let names: Int32Array = new Int32Array(1 << 10);
  let details: Int32Array = new Int32Array(1 << 10);
  let count = 0;
  let least = 0;

  const makeRoom = () => {
    const sorted = durations.slice(0, count).sort();
    least = Math.max(sorted[count >> 1]!, least * 1.01, 1e-9);
    let kept = 0;
    for (let at = 0; at < count; at += 1) {
      if (durations[at]! < least) continue;
      starts[kept] = starts[at]!;
      durations[kept] = durations[at]!;
      threads[kept] = threads[at]!;
      names[kept] = names[at]!;
      links[kept] = links[at]!;
      details[kept] = details[at]!;
      kept += 1;
    }
    // All of one length: half of them has to do.
    count = kept === count ? kept >> 1 : kept;
  };

  return {
    wants: (duration) => least <= duration,
    add(start, duration, thread, name, link = 0, detail = 0) {
      if (!(least <= duration)) return;
      if (count === starts.length) {
        if (count < most) {
          const size = Math.min(most, count * 2);
          starts = larger(starts, new Float64Array(size));
          durations = larger(durations, new Float64Array(size));
          threads = larger(threads, new Float64Array(size));
          links = larger(links, new Float64Array(size));
          names = larger(names, new Int32Array(size));
          details = larger(details, new Int32Array(size));
        } else makeRoom();
      }
      starts[count] = start;
      durations[count] = duration;
      threads[count] = thread;
      names[count] = name;
      links[count] = link;
      details[count] = detail;
      count += 1;
    },
    get least() {
      return least;
    },
    get count() {
      return count;
    },
    get starts() {
      return starts;
    },
    get durations() {
      return durations;
    },
    get threads() {
      return threads;
    },
    get names() {
      return names;
    },
    get links() {
      return links;
    },
    get details() {
      return details;
    },
  };
}

function larger<Numbers extends Float64Array | Int32Array>(numbers: Numbers, grown: Numbers): Numbers {
  grown.set(numbers);
  return grown;
}
