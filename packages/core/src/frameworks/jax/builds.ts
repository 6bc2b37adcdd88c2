import { comparePythonVersions } from "../../lib/pep440.ts";
import { isCertain, sourcesOf } from "../../knowledge/certainty.ts";
import { ofCapabilities } from "../../knowledge/gpu-code.ts";
import { jax } from "../../knowledge/texts/jax.generated.ts";
import {
  builtReleases,
  nearestRow,
  needsOf,
  pythonsOf,
  releasesOf,
  withExtra,
  type Build,
  type BuiltRelease,
  type Need,
} from "../../builds/build.ts";
import { isIn } from "../../builds/specifier.ts";
import { defineBuilds } from "../../builds/framework-builds.ts";
import names from "./names.ts";

export default defineBuilds({
  id: "jax",
  releases: jaxReleases,
  wheel: "jaxlib",
  distributions: ["jax"],
  // Without an extra it is for processors only, unless a plugin is there, or jaxlib is of jax's own page: `0.4.23+cuda12.cudnn89`.
  installed(release, { extras, packages, labels }) {
    const plugin = packages.find((each) => /^jax-cuda\d+-plugin$/.test(each));
    const label = /^cuda1\d/.exec(labels.get("jaxlib") ?? "")?.[0];
    const extra = extras.find((each) => /^cuda1\d/.test(each)) ?? plugin?.split("-")[1] ?? label;
    return extra === undefined ? undefined : release?.builds().find(({ variant }) => variant.startsWith(extra.replace("-pip", "")));
  },
});

/** Before, builds for CUDA took the libraries of the system: there is nothing that pip could bring. */
const firstWithWheels = "0.4.8";

/** One build for each extra that brings CUDA; until 0.4.29 the CUDA builds of jaxlib are on an index of their own. */
function jaxReleases(): BuiltRelease[] {
  const file = jax();
  const all = builtReleases("jax", (release) => {
    const stated = needsOf("jax", release);
    const offered = new Set(stated.map(({ extra }) => extra));
    const extras = ["cuda13", "cuda12", "cuda12-pip", "cuda11-pip"].filter((extra) => offered.has(extra));
    const built = extras.flatMap((extra): Build[] => {
      const needs = withExtra(stated, extra);
      const brings = needs.some(({ name }) => /^(nvidia-|jax-cuda)/.test(name));
      if (!brings) return [];
      const row = nearestRow(file.releases, release.version);
      const major = /\d\d/.exec(extra)![0];
      const known = row?.builds?.[`cuda_v${major}`] ?? row?.builds?.["cuda"];
      const isOld = needs.some(({ name, specifier }) => name === "jaxlib" && specifier.includes("+cuda"));
      // On that index the label is all that differs.
      const plain = needs.map((need) =>
        need.name === "jaxlib" ? { ...need, specifier: need.specifier.replace(/\+cuda[\w.]*/, "") } : need,
      );
      const pythons = servedPythons(plain, pythonsOf(release));
      if (pythons.length === 0) return [];
      const isSure = known?.architectures !== undefined && row !== undefined && isCertain(row, "builds");
      return [
        {
          package: "jax",
          version: release.version,
          variant: extra,
          install: `jax[${extra.replace("-pip", "_pip")}]==${release.version}`,
          ...(isOld ? { index: { option: "--find-links" as const, url: names.labelPage } } : {}),
          pythons,
          needs: () => plain,
          cuda: {
            version: known?.cuda?.split(".").slice(0, 2).join(".") ?? major,
            source: (row && sourcesOf(file, row, "builds")[0]) ?? "its extra",
          },
          ...(known?.architectures
            ? { architectures: { list: ofCapabilities(known.architectures), source: sourcesOf(file, row!, "builds")[0]! } }
            : {}),
          onPath: () => [],
          doubts: doubtsOf(release.version, isSure, isOld),
        },
      ];
    });
    // `cuda12` is mostly a name for `cuda12-pip`; of the first releases with a plugin it asks for one that PyPI does not have.
    return built.filter(({ variant }) => variant !== "cuda12-pip" || !built.some((other) => other.variant === "cuda12"));
  });
  return all.filter(({ version }) => 0 <= comparePythonVersions(version, firstWithWheels));
}

/** Of these Pythons those that every part has a wheel for: without one of them it is of no use. */
function servedPythons(needs: Need[], pythons: string[]): string[] {
  return needs
    .filter(({ name }) => /^jax(lib$|-cuda\d+-plugin$)/.test(name))
    .reduce((left, { name, specifier }) => {
      const part = releasesOf(name).findLast(({ version }) => isIn(version, specifier));
      const served = part ? pythonsOf(part) : [];
      return left.filter((python) => served.includes(python));
    }, pythons);
}

const doubtsOf = (version: string, isSure: boolean, isOld: boolean) => [
  ...(isSure ? [] : [`the architectures of jax ${version}`]),
  ...(isOld ? [`what the index of jax releases has for ${version}`] : []),
];
