import { libraryOf } from "../knowledge/libraries.ts";
import { nameOf } from "../lib/path.ts";
import type { Copy } from "../model/inventory.ts";
import { copyFact } from "../diagnose/facts.ts";
import { defineMachineRule } from "./rule.ts";
import { fileWords, unique } from "../diagnose/words.ts";

/** Libraries of which a second copy has harmed often, and the object that stands for all of its parts. */
const watched: { [library: string]: string } = { cudnn: "libcudnn", cupti: "libcupti", nccl: "libnccl" };

export default defineMachineRule({
  id: "two-installs",
  title: "A library is installed twice, and programs differ in which one they take",
  cause: "two-copies",
  severity: "info",
  notOn: { "dependency-file": "which copy of a library is loaded is decided by the search paths of files that are not there yet" },
  page: {
    what: "cuDNN, CUPTI or NCCL is installed for the system and again in a Python environment, in different versions. Nothing is wrong now.",
    why: "Google Colab and many images have it from apt, for programs of their own, and again from the wheels of frameworks. Which one is taken depends on who asks: a framework with a search path of its own takes its wheel's, what has none takes the system's.",
    how: "The copies on the machine are compared with what each framework would load.",
    fix: "Nothing needs to be done. Keep the system's folder out of LD_LIBRARY_PATH.",
    observed: "On an H200 with cuDNN 9.14.0 from apt and 9.19.0 from a wheel: without LD_LIBRARY_PATH torch and jax take the wheel's.",
  },
  finds(stack) {
    const { copies } = stack.inventory;
    return stack.environments.flatMap(({ prefix }) => {
      const runs = stack.runs.filter((run) => run.environment?.prefix === prefix);
      // Where something goes wrong, that is said by whoever knows why.
      if (runs.some(({ stops, undisturbed }) => 0 < stops.length || undisturbed)) return [];
      return Object.entries(watched).flatMap(([id, object]) => {
        const all = copies.filter(
          (copy) =>
            copy.library === id &&
            isMain(copy, object) &&
            isFor(
              copy,
              prefix,
              stack.environments.map((each) => each.prefix),
            ),
        );
        const majors = new Map<string, Copy[]>();
        for (const copy of all) {
          const soname = copy.soname ?? nameOf(copy.file);
          majors.set(soname, [...(majors.get(soname) ?? []), copy]);
        }
        return [...majors].flatMap(([soname, same]) => {
          if (unique(same.map(({ version }) => version)).length < 2) return [];
          const taken = runs.flatMap((run) =>
            run.loads.loads
              .filter((load) => load.library === id && !load.unmapped && same.some(({ file }) => file === load.file))
              .flatMap((load) => run.programs.map((program) => ({ program: program.id, file: load.file }))),
          );
          if (taken.length === 0) return [];
          const files = unique(taken.map(({ file }) => file));
          const idle = same.filter(({ file }) => !files.includes(file));
          const library = libraryOf(soname)?.name ?? id;
          return [
            {
              subject: `${soname} for ${prefix}`,
              short: `${library} is installed ${same.length === 2 ? "twice" : `${same.length} times`}`,
              message: `${library} is installed ${same.length === 2 ? "twice" : `${same.length} times`}: ${same.map(({ version, owner, file }) => `${version ?? "of unknown version"} (${owner?.name ?? file})`).join(" and ")}`,
              because: files.map(
                (file) =>
                  `${unique(taken.filter((each) => each.file === file).map(({ program }) => program)).join(", ")} would take ${fileWords(stack, file)}`,
              ),
              evidence: same.map(({ file }) => fileWords(stack, file)),
              facts: { copies: same.map((copy) => copyFact(copy, "other")) },
              advice: idle
                .slice(0, 2)
                .map(
                  ({ file }) =>
                    `keep ${file.slice(0, file.lastIndexOf("/"))} out of LD_LIBRARY_PATH: that copy, or parts of it, would come first`,
                ),
            },
          ];
        });
      });
    });
  },
});

const isMain = ({ file, stub }: Copy, object: string) => !stub && nameOf(file).startsWith(`${object}.so`);

/** In this environment or in none; what tools of NVIDIA carry for themselves is nobody else's. */
function isFor({ file }: Copy, prefix: string, prefixes: string[]): boolean {
  if (file.startsWith(`${prefix}/`)) return !file.includes("/triton/");
  return !file.startsWith("/opt/nvidia/") && !prefixes.some((other) => other !== "/usr" && file.startsWith(`${other}/`));
}
