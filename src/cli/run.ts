import type { Input } from "./usage.ts";
import { UsageError } from "./usage.ts";

export async function run(_input: Input): Promise<number> {
  throw new UsageError("not there yet");
}
