import { weights, type Problem } from "../cause.ts";
import type { Context } from "../context.ts";
import type { Facts } from "../fact.ts";
import { withoutSearchPath, whyLine } from "../fixes.ts";

/** Somebody sees two copies of one library in a process. */
export default function twoCopiesTold(facts: Facts, context: Context): Problem[] {
  const evidence = facts.notices("two-copies-told");
  if (evidence.length === 0) return [];
  const title = evidence[0]!.subject!;
  const name = `lib${title}.so`;
  const base = {
    name,
    library: title,
    required: `one lib${title}`,
    found: "two of them",
    evidence,
    certainty: "possible" as const,
    next: ["culprit list", whyLine(`lib${title}`, context, "device")],
  };
  return [
    {
      weight: weights.hint,
      symptom: `two copies of lib${title} meet in one process`,
      suspects: [
        {
          ...base,
          cause: "two-copies",
          message: "two packages bring it, or a package and a toolkit do, and each loads its own",
          fixes: [withoutSearchPath()],
        },
        {
          ...base,
          cause: "library-shadowed",
          message: "or one is found by LD_LIBRARY_PATH before the one that the framework brings",
          fixes: [],
        },
        { ...base, cause: "package-conflict", message: "or two packages were installed that want two releases of it", fixes: [] },
      ],
    },
  ];
}
