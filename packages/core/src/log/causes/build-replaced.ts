import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Context } from "../context.ts";
import type { Facts } from "../fact.ts";
import { fix, torchFix } from "../fixes.ts";
import { cpuOnly } from "../meaning.ts";

/** pip compares releases and no builds: `torch` or `torch>=2` in a package's needs takes PyPI's build, and on Windows that has no CUDA. */
export default function buildReplaced(facts: Facts, context: Context): Problem[] {
  const evidence = facts.notices("build-replaced");
  const [first] = evidence;
  if (!first) return [];
  const name = first.subject!;
  const { version } = context.framework(name);
  const kept = [
    name === "torch" ? torchFix(context, facts.on("windows")) : fix(`install ${name}'s CUDA build again, as its own page names it`),
    fix(
      `then install the other package with \`--no-deps\`, or with a constraints file (\`pip install -c\`) that names your build${version?.includes("+cu") ? `: \`${name}==${version}\`` : ""}`,
    ),
  ];
  const conflict: Suspect = {
    cause: "package-conflict",
    name,
    required: version?.includes("+cu") ? `${name} ${version}` : `the CUDA build of ${name} that was there`,
    found: first.found === "cpu" ? "a build for the CPU" : "the build that PyPI has",
    certainty: "likely",
    message: `the package that was installed asks for \`${name}\` without naming a build: pip takes PyPI's in the place of yours`,
    evidence,
    next: ["pip check", `pip show ${name}`],
    fixes: kept,
  };
  if (first.found !== "cpu") return [{ weight: weights.warned, suspects: [conflict] }];
  return [
    {
      weight: weights.warned,
      suspects: [
        { ...cpuOnly(name, "a build without CUDA, in the place of yours", evidence, "likely", kept) },
        { ...conflict, certainty: "possible", message: `because ${conflict.message}` },
      ],
    },
  ];
}
