import process from "node:process";
import type { Target } from "@culprit/core/model/target";
import { disk } from "./disk.ts";

/** This machine, as this user sees it. */
export function machine(): Target {
  return {
    description: { kind: "machine" },
    ...disk(""),
    async process() {
      const environment: { [name: string]: string } = {};
      for (const [name, value] of Object.entries(process.env)) if (value !== undefined) environment[name] = value;
      return { environment, cwd: process.cwd(), user: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 } };
    },
  };
}
