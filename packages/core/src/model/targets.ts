import type { Check } from "./check.ts";

/** Several targets, asked the same. */
export interface Targets {
  schema: "culprit/targets@1";
  targets: TargetAnswer[];
}

export interface TargetAnswer {
  target: string;
  /** Why nothing could be told about it; absent where something could. */
  problem?: string;
  driver?: string;
  gpus?: string[];
  check?: Check;
}
