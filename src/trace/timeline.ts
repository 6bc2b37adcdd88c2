import type { Names } from "./names.ts";

/** Events kept for drawing, when that is asked for. */
export interface Timeline {
  names: Names;
  gpu(kind: number, device: number, stream: number, start: number, duration: number, name: number): void;
  host(thread: number, start: number, duration: number, name: number, call: boolean): void;
}
