import { reasonOfCode } from "@culprit/core/lib/reason";
import fs from "node:fs";
import type { Target } from "@culprit/core/model/target";
import { codeOf, disk } from "./disk.ts";

/** A folder that is the root of another system: an unpacked image, a mounted disk. Nothing outside it is read. */
export function root(path: string): Target {
  let real: string;
  try {
    real = fs.realpathSync(path);
    if (!fs.statSync(real).isDirectory()) throw Object.assign(new Error(), { code: "ENOTDIR" });
    // What may not be listed would look empty, and so healthy.
    fs.readdirSync(real);
  } catch (error) {
    const code = codeOf(error);
    const why =
      code === "ENOENT"
        ? "there is no such folder"
        : code === "ENOTDIR"
          ? "it is not a folder"
          : code === "EACCES"
            ? "it may not be read"
            : `it cannot be read: ${reasonOfCode(code)}`;
    throw new Error(`cannot use \`${path}\` as a root: ${why}`, { cause: error });
  }
  return {
    description: { kind: "root", name: path },
    ...disk(real === "/" ? "" : real),
    // Who would start a program there, with which variables, is not written anywhere in a folder: only --env says.
    async process() {
      return { environment: {}, cwd: "/", user: { uid: 0, gid: 0 } };
    },
  };
}
