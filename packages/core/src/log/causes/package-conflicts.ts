import { compareDotted } from "../../knowledge/dotted.ts";
import { requiresOf } from "../../knowledge/published.ts";
import { isWithin } from "../../lib/pep440.ts";
import { normalName, parseRequirement } from "../../lib/pep508.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix } from "../fixes.ts";
import { saysMore } from "../conda-says-more.ts";

const ofStack =
  /^(?:torch|pytorch|torchvision|torchaudio|torchtext|torchdata|triton|xformers|tensorflow|keras|tensorboard|tf-|jax|jaxlib|flax|nvidia-|cuda|cudnn|cudatoolkit|cupy|onnxruntime|tensorrt|vllm|flash|bitsandbytes|numba|protobuf|mxnet|paddle|rapids|cudf|cuml|ctranslate2|kmod-nvidia|libnvidia|libcudnn|libnccl)/i;

/** Two ask for one package, each in versions that the other excludes: `==13.1.x` and `>=13.3`. */
function askedTwice(facts: Facts): Fact[] {
  const asked = facts.notices("asked-by").flatMap(({ subject }) => facts.all("requested").filter(({ name }) => name === subject));
  const exact = asked.find(({ wanted }) => wanted.startsWith("=="));
  const bound = asked.find(({ by, name, wanted }) => by !== exact?.by && name === exact?.name && /^(?:==|>=|>)/.test(wanted));
  const [pinned, least] = [exact, bound].map((fact) => fact?.wanted.replace(/^[=<>~]{1,2}|\.?[x*]$/g, ""));
  if (pinned === undefined || least === undefined || bound!.wanted === exact!.wanted) return [];
  const excluded = bound!.wanted.startsWith("==") ? pinned !== least : compareDotted(pinned, least) < 0;
  return excluded ? [exact!, bound!] : [];
}

/** What pip left behind does not fit what is there. */
function ofInstalled(conflicts: Fact<"conflict">[]): Problem {
  const main = conflicts.find(({ dependency }) => /^(?:torch|tensorflow|jax|nvidia)/i.test(dependency)) ?? conflicts[0]!;
  const strict =
    conflicts.find(({ package: name, dependency }) => dependency === main.dependency && /^(?:torch|tensorflow|jax)/.test(name)) ?? main;
  const apart = excluded(conflicts);
  const base = {
    cause: "package-conflict" as const,
    name: main.dependency,
    required: `${strict.package} requires ${strict.dependency}${strict.wanted}`,
    found: `${main.dependency} ${main.found}`,
    certainty: "certain" as const,
    evidence: conflicts.slice(0, 5),
    next: ["pip check"],
  };
  const wants = `${strict.package} wants ${strict.dependency}${strict.wanted}, and`;
  return {
    weight: weights.failed,
    suspects: [
      apart
        ? {
            ...base,
            message: `${apart.one} wants ${apart.dependency}${apart.wanted}, and ${apart.other} wants ${apart.dependency}${apart.against}: these releases cannot share an environment`,
            fixes: [
              fix("give each an environment of its own"),
              fix(
                "or take releases that go together; this names them",
                `culprit solve ${[apart.one, apart.other].map((each) => each.split(" ")[0]).join(" ")}`,
              ),
            ],
          }
        : {
            ...base,
            message: `${wants} ${main.found === "not installed" ? "it is not installed" : `${main.found} is installed`}`,
            fixes: [
              fix(
                "install packages of one release in one step, from one source",
                `pip install ${[...new Set(conflicts.map(({ dependency, wanted }) => `"${dependency}${wanted}"`))].join(" ")} ${[...new Set(conflicts.map(({ package: name }) => name.split(" ")[0]))].join(" ")}`,
              ),
            ],
          },
    ],
  };
}

/** Two of them, of which what one asks for is not what the other is published to ask for. */
function excluded(
  conflicts: Fact<"conflict">[],
): { one: string; other: string; dependency: string; wanted: string; against: string } | undefined {
  for (const { package: one, dependency, wanted } of conflicts)
    for (const { package: other } of conflicts) {
      const [name = "", version = ""] = other.split(" ");
      if (other === one || version === "") continue;
      for (const text of requiresOf(normalName(name), version) ?? []) {
        const read = parseRequirement(text);
        const pinned = "problem" in read || normalName(read.name) !== normalName(dependency) ? undefined : exactly(read.specifier);
        if (pinned !== undefined && isWithin(pinned, wanted) === false) return { one, other, dependency, wanted, against: `==${pinned}` };
      }
    }
  return undefined;
}

const exactly = (specifier: string) => /^\s*==\s*(\d[\d.]*\d)\s*$/.exec(specifier)?.[1];

/** Package managers that could not, or did not, make everything fit. */
export default function conflicts(facts: Facts, context: Context): Problem[] {
  const problems: Problem[] = [];
  // Half of all packages want some protobuf: that is of this stack only where the one who asks is.
  const conflicts = facts
    .all("conflict")
    .filter(({ dependency, package: name }) => ofStack.test(name) || (ofStack.test(dependency) && dependency !== "protobuf"));
  if (0 < conflicts.length) problems.push(ofInstalled(conflicts));
  const impossible = [...facts.notices("pip-conflict", "uv-conflict", "conda-conflict", "dnf-conflict"), ...askedTwice(facts)];
  if (0 < impossible.length) {
    const requested = facts.all("requested");
    const byName = new Map<string, Fact<"requested">[]>();
    for (const fact of requested) byName.set(fact.name, [...(byName.get(fact.name) ?? []), fact]);
    const clash = [...byName.values()].find((list) => 1 < new Set(list.map(({ wanted }) => wanted)).size) ?? requested.slice(0, 2);
    const gpu =
      impossible.length > 0 &&
      (clash.some(({ name, by }) => ofStack.test(name) || ofStack.test(by)) ||
        context.packages(ofStack).length > 0 ||
        facts.notices("conda-command").some(({ subject }) => (subject ?? "").split(/[\s"']+/).some((word) => ofStack.test(word))) ||
        facts.has("driver-cuda"));
    if (gpu) {
      const wanted = clash
        .map(({ wanted: text }) => (text.includes(",") ? text : text.replace(/^[=<>!~]{1,3}/, "")))
        .filter((text) => text !== "");
      problems.push({
        weight: weights.refused,
        suspects: [
          {
            cause: "package-conflict",
            name: clash[0]?.name ?? "packages",
            ...(wanted.length === 0
              ? {}
              : {
                  required: wanted.length === 1 ? `${clash[0]!.name} ${wanted[0]}` : `one version of ${clash[0]!.name} (${wanted[0]})`,
                  ...(wanted.length === 1 ? {} : { found: wanted.join(" and ") }),
                }),
            certainty: "certain",
            message:
              clash.length < 2
                ? "the package manager finds no set of versions that fit together"
                : `${clash[0]!.name} is wanted in versions that exclude each other: ${clash.map(({ by, wanted: text }) => `${text || "any"} by ${by}`).join(", ")}`,
            evidence: [...impossible.slice(0, 1), ...clash.slice(0, 4)],
            next: ["pip check"],
            fixes: wayOut(clash, facts),
          },
          // One alone asks for it, and nobody else forbids it: then no index has it.
          ...(clash.length === 1 && clash[0]!.by !== "you" && clash[0]!.wanted.startsWith("==")
            ? [
                {
                  cause: "upstream-bug" as const,
                  name: clash[0]!.name,
                  required: `${clash[0]!.name} ${wanted[0]}`,
                  found: "no such release on the index that was asked",
                  certainty: "possible" as const,
                  message: `only ${clash[0]!.by} asks for ${clash[0]!.name}${clash[0]!.wanted}: the index that was asked may not hold what its own package pins`,
                  evidence: clash,
                  next: [`pip index versions ${clash[0]!.name}`],
                  fixes: [fix("let pip look at PyPI too", "export PIP_EXTRA_INDEX_URL=https://pypi.org/simple")],
                },
              ]
            : []),
        ],
      });
    }
  }
  return problems;
}

/** Conda names who was built with what: that is what to ask for. Where it names nobody, its newer solver does. */
function wayOut(clash: Fact<"requested">[], facts: Facts): NonNullable<Suspect["fixes"]> {
  const builder = clash.find(({ by, wanted }) => /^[a-z][\w-]+[ =]{1,2}\d/.test(by) && /^[<>=\d]/.test(wanted));
  const conda = 0 < facts.notices("conda-conflict").length;
  if (conda && builder && clash.some(({ by }) => by === "you")) {
    const [package_, version] = builder.by.split(/[ =]+/);
    const range = /^\d/.test(builder.wanted) ? `=${builder.wanted}` : builder.wanted;
    return [
      fix(
        `ask for the ${builder.name} with which ${package_} ${version} was built, or leave it out: conda takes the right one itself`,
        `conda install "${package_}=${version}" "${builder.name}${range}"`,
      ),
    ];
  }
  if (conda && clash.length < 2) return saysMore;
  return [fix("drop the pin that is not needed, or give the two frameworks environments of their own")];
}
