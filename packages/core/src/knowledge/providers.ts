import { memo } from "../lib/memo.ts";
import { nameOf } from "../lib/path.ts";
import { frameworkNames } from "../model/framework-names.generated.ts";
import type { FrameworkNames } from "../model/framework-names.ts";
import { isAmong } from "../model/frameworks.ts";

/** The framework that a library is a part of, which others are linked with: torch for `libc10.so`. */
export const providerOf = memo(20_000, (objectName: string): FrameworkNames | undefined => {
  const name = nameOf(objectName);
  const end = name.indexOf(".so");
  const stem = end < 0 ? "" : name.slice(0, end);
  return stem === "" ? undefined : frameworkNames.find(({ provides }) => isAmong(stem, provides));
});
