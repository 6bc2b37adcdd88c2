import { activityOfPackage } from "../../diagnose/activity-of-package.ts";
import { environmentOf, pipOf } from "../../diagnose/pip.ts";
import type { SharedFile } from "../../survey/owners.ts";
import { nameOf } from "../../lib/path.ts";
import { isWithin } from "../../lib/pep440.ts";
import type { Affected, Draft } from "../../model/finding.ts";
import { fileFact } from "../../diagnose/facts.ts";
import { machineSide } from "../rule.ts";
import page from "./page.ts";
import type { Stack } from "../../diagnose/stack.ts";
import { copyAt, unique } from "../../diagnose/words.ts";

export default machineSide(page, {
  blames(stack, stop, run) {
    const failed = stop.failure.underlying ?? stop.failure;
    const files = new Set([failed.file, stop.failure.file].filter((file) => file !== undefined));
    const pair = pairsOf(stack).find(
      (each) => each.environment === run.environment?.prefix && each.files.some(({ file }) => files.has(file)),
    );
    if (!pair || pair.isUnneeded) return undefined;
    return { ...draftOf(stack, pair), specificity: 5 };
  },
  finds: (stack) =>
    pairsOf(stack)
      // A build without CUDA on top of one with CUDA has a rule of its own.
      .filter(
        ({ environment, packages }) =>
          !stack.runs.some(
            (run) =>
              run.environment?.prefix === environment &&
              run.programs.some(({ cpuOnly, package: own }) => cpuOnly !== undefined && packages.includes(own?.name ?? "")),
          ),
      )
      .map((pair) => ({
        ...draftOf(stack, pair),
        severity: pair.askers.length === 0 ? ("info" as const) : ("warning" as const),
        endangers: endangered(stack, pair),
      })),
});

interface Pair {
  environment: string;
  /** In alphabetical order. */
  packages: string[];
  versions: Map<string, string>;
  files: SharedFile[];
  /** Whose files are there; several where it is a mixture, none where that cannot be told. */
  winners: string[];
  losers: string[];
  /** Installed packages that ask for a loser, in words. */
  askers: string[];
  asking: { by: string; needs: string }[];
  /** What is there is what is asked for. */
  isUnneeded: boolean;
}

function pairsOf(stack: Stack): Pair[] {
  const groups = new Map<string, SharedFile[]>();
  for (const shared of stack.sharedFiles) {
    const key = `${shared.environment} ${shared.claims
      .map((claim) => claim.package)
      .sort()
      .join(" ")}`;
    groups.set(key, [...(groups.get(key) ?? []), shared]);
  }
  return [...groups.values()].map((files) => {
    const [{ environment, claims }] = files as [SharedFile];
    const packages = unique(claims.map((claim) => claim.package)).sort();
    const winners = unique(files.flatMap((file) => ownerOf(stack, file) ?? [])).sort();
    const losers = packages.filter((name) => winners.length !== 1 || !winners.includes(name));
    const unmet = stack.requirements
      .filter(({ environment: place, needs }) => place === environment && losers.includes(needs.name))
      // Whoever asks for a version that neither has is a case for another rule.
      .filter(({ needs, specifier }) => isWithin(needs.version, specifier) !== false);
    const askers = unique(unmet.map(({ by, needs }) => `${by.name} ${by.version} asks for ${needs.name}`));
    return {
      environment,
      packages,
      versions: new Map(claims.map((claim) => [claim.package, claim.version])),
      files,
      winners,
      losers,
      askers,
      asking: unmet.map(({ by, needs }) => ({ by: by.name, needs: needs.name })),
      isUnneeded: winners.length === 1 && askers.length === 0,
    };
  });
}

/** The programs that ask for what is not there: what they loaded was built for another CUDA. */
const endangered = (stack: Stack, { environment, asking }: Pair): Affected[] =>
  stack.runs
    .filter((run) => run.environment?.prefix === environment)
    .flatMap((run) =>
      run.programs.flatMap(({ id, package: own }) =>
        unique(asking.filter(({ by }) => by === own?.name || by.startsWith(`${id}-`)).map(({ needs }) => activityOfPackage(needs)))
          .filter((activity) => run.activities.includes(activity))
          .map((activity) => ({ framework: id, activity })),
      ),
    );

/** Whose file it is: by its size, else by the version that it holds. */
function ownerOf(stack: Stack, { file, size, claims }: SharedFile): string | undefined {
  const sized = claims.filter((claim) => claim.size === size);
  if (sized.length === 1) return sized[0]!.package;
  const version = copyAt(stack, file)?.evidence.find(({ how }) => how !== "owner")?.version;
  if (version === undefined) return undefined;
  const named = claims.filter((claim) => claim.version === version || claim.version.startsWith(`${version}.`));
  return named.length === 1 ? named[0]!.package : undefined;
}

function draftOf(stack: Stack, { environment, packages, versions, files, winners, losers, askers }: Pair): Draft {
  const full = (name: string) => `${name} ${versions.get(name)}`;
  const own = environmentOf(stack, environment);
  const [first] = files as [SharedFile];
  const there =
    winners.length === 1
      ? `what is there is of ${full(winners[0]!)}, so ${losers.map(full).join(" and ")} is not`
      : 1 < winners.length
        ? `what is there is a mixture of both`
        : "sizes and versions do not say which one is there";
  return {
    facts: {
      packages: packages.map((name) => {
        const version = versions.get(name);
        return { role: "conflicts", name, ...(version === undefined ? {} : { version }), environment };
      }),
      copies: files.map(({ file }) => fileFact(stack, file, "other")),
    },
    subject: `${packages.join(" and ")} in ${environment}`,
    short: `${packages.join(" and ")} overwrite each other`,
    message: `${packages.map(full).join(" and ")} overwrite each other in ${environment}: ${there}`,
    because: [
      `both claim ${files.length === 1 ? first.file : `${files.length} files, ${nameOf(first.file)} among them`}, with different contents; pip keeps no track of that`,
      ...askers,
    ],
    evidence: files
      .slice(0, 3)
      .map(
        ({ file, size, claims }) =>
          `${file}${size === undefined ? " is gone" : `, ${size} bytes`}: ${claims.map((claim) => `${claim.package} says ${claim.size ?? "?"}`).join(", ")}`,
      ),
    advice: [
      { words: "remove both", command: pipOf(own, "uninstall", "-y", ...packages), scope: "install" },
      ...(0 < askers.length && winners.length === 1
        ? [
            {
              words: "then install the one that is asked for; what needs the other one needs an environment of its own",
              command: pipOf(own, "install", ...losers.map((name) => `${name}==${versions.get(name)}`)),
              scope: "install" as const,
            },
          ]
        : [`then install again the one that you need: ${packages.map((name) => `${name}==${versions.get(name)}`).join(" or ")}`]),
    ],
  };
}
