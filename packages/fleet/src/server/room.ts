// What comes in from anybody is held in memory while it is worked on: all of it together has a bound, however many come at once.
import { Refusal } from "../refusal.ts";

/** What one request holds of it. */
export interface Visit {
  /** So many bytes more came in. */
  take: (bytes: number) => void;
  /** Waits until few others are unpacking and reading what is large; the seat is kept until the end. */
  sit: () => Promise<void>;
  leave: () => void;
}

export interface Room {
  enter: () => Visit;
}

/** `bytes` as they were sent; unpacked they may be many times that, so only so many sit. */
export function roomOf({ bytes, seats }: { bytes: number; seats: number }): Room {
  let held = 0;
  let free = seats;
  const waiting: (() => void)[] = [];
  return {
    enter: () => {
      let mine = 0;
      let isSitting = false;
      return {
        take: (more) => {
          mine += more;
          held += more;
          if (bytes < held) throw new Refusal(503, "too much is being sent to this server at once: try again");
        },
        sit: async () => {
          if (isSitting) return;
          if (0 < free) free -= 1;
          else await new Promise<void>((called) => waiting.push(called));
          isSitting = true;
        },
        leave: () => {
          held -= mine;
          mine = 0;
          if (!isSitting) return;
          isSitting = false;
          const next = waiting.shift();
          if (next) next();
          else free += 1;
        },
      };
    },
  };
}
