import { builtHere } from "./built-here.ts";
import { compareDotted, driverReaches } from "../knowledge/dotted.ts";
import { torchBuilds } from "../knowledge/frameworks.ts";
import { leastDriver } from "../knowledge/goes-together.ts";
import type { Diagnosis } from "../model/explain.ts";
import { majorOf, type Context } from "./context.ts";
import type { Facts } from "./fact.ts";
import { fix, torchBuildIn } from "./fixes.ts";
import { isInstallable } from "./installable.ts";
import { forItsPlugin } from "./jax-lines.ts";
import { forItsPython } from "./pip-lines.ts";
import { placed } from "./place.ts";
import { translated } from "./places/place.ts";
import { forItsGpu } from "./torch-lines.ts";
import { smsIn } from "./what-runs.ts";

type Fix = Diagnosis["fixes"][number];

/**
 * What is printed last passes here: no diagnosis that the facts of the text refute, no sentence twice, and no command that our own knowledge
 * or the place of the text refutes.
 */
export function gated(diagnoses: Diagnosis[], facts: Facts, context: Context): Diagnosis[] {
  const place = placed(facts, context);
  const kept = diagnoses.filter((each, index) => index === 0 || !isRefuted(each, facts, context));
  return withoutEcho(kept).map((each) => {
    const fixes = each.fixes
      .flatMap((one) => known(one, each, context, smsIn(facts)))
      .flatMap((one) => translated(one, (line) => (isInstallable(line, facts) ? [line] : [])))
      .flatMap((one) => place.fix(one, each))
      .map((one) => ({
        ...one,
        commands: one.commands.map((line) => forItsPlugin(forItsPython(forItsGpu(line, smsIn(facts)[0], facts), facts), facts)),
      }))
      .filter((one) => !isTried(one, facts))
      .map((one) => repeated(replacing(one), facts));
    return {
      ...each,
      next: unique(each.next.flatMap(place.line)),
      fixes: beginning(withoutRepeats([...builtHere(each, facts), ...place.first(each), ...fixes])),
    };
  });
}

// A cause that stands beside others, and against which the text itself speaks.
function isRefuted({ cause, name, required, found, certainty }: Diagnosis, facts: Facts, context: Context): boolean {
  if (certainty === "certain") return false;
  if (cause === "driver-too-old" && !facts.on("windows")) {
    const [needs, has] = [/driver (\d{3}(?:\.\d+)+)/.exec(required ?? "")?.[1], /^(\d{3}(?:\.\d+)+)/.exec(found ?? "")?.[1]];
    return needs !== undefined && has !== undefined && driverReaches(has, needs);
  }
  const torch = context.framework("torch");
  if (cause === "wrong-wheel-cpu-only" && name === "torch") return torch.cuda !== undefined && torch.cpuOnly !== true;
  if (cause === "driver-not-exposed" && name === "libcuda.so.1")
    return facts.all("opened").some((fact) => fact.name === "libcuda.so.1") || facts.all("available").some(({ value }) => value);
  return false;
}

// Several causes of one message are told by what sets them apart.
const apart: { [cause in Diagnosis["cause"]]?: string } = {
  "library-shadowed": "or another copy is found before the right one",
  "package-conflict": "or two packages brought releases that do not fit together",
  "library-wrong-version": "or the only copy that is there is of another release",
  "library-missing": "or it is not installed",
  "library-not-on-path": "or it lies where the loader does not look",
};

function withoutEcho(diagnoses: Diagnosis[]): Diagnosis[] {
  const said = new Set<string>();
  return diagnoses.flatMap((each) => {
    const message = said.has(bare(each.message)) ? apart[each.cause] : each.message;
    if (message === undefined || said.has(bare(message))) return message === undefined ? [] : [each];
    said.add(bare(message));
    return [{ ...each, message }];
  });
}

const bare = (message: string) => message.replace(/^or /, "");
const unique = (lines: string[]) => [...new Set(lines)];

function withoutRepeats(fixes: Fix[]): Fix[] {
  const said = new Set<string>();
  return fixes.filter(({ fix: words, commands }) => {
    // The same commands a second time are no second way, whatever is said of them.
    const key = commands.length === 0 ? words : commands.join("\n");
    return !said.has(key) && said.add(key);
  });
}

/** Nothing but a restart, of which the text says that it was no help. */
const isTried = ({ commands }: Fix, facts: Facts): boolean =>
  commands.length === 1 && commands[0] === "sudo reboot" && 0 < facts.notices("rebooted").length;

/** pip keeps a PyTorch that is there, whatever index is named: it is told to replace it, unless it was taken out or its build is named. */
function replacing(one: Fix): Fix {
  if (one.commands.some((line) => /\buninstall\b/.test(line))) return one;
  const commands = one.commands.map((line) =>
    /\bpip3? install\b/.test(line) &&
    /\btorch\b/.test(line) &&
    /download\.pytorch\.org\/whl\//.test(line) &&
    !/--force-reinstall|--upgrade|\s-U\b|\+(?:cu|rocm|cpu)|\buv\b/.test(line)
      ? line.replace(/\b(pip3? install)\b/, "$1 --force-reinstall")
      : line,
  );
  return { ...one, commands };
}

/** The text shows the very index that would be named: what it installed is not what the program imports. */
function repeated(one: Fix, facts: Facts): Fix {
  const index = one.commands.map((line) => /download\.pytorch\.org\/whl\/(cu\d+)/.exec(line)?.[1]).find((each) => each !== undefined);
  if (index === undefined || !facts.notices("torch-installed-from").some(({ subject }) => subject === index)) return one;
  return {
    ...one,
    fix: `${one.fix}. The text installs from that index already: see first which PyTorch the program imports, and install it with the pip of that Python`,
    commands: ['python -c "import sys, torch; print(sys.executable, torch.__version__, torch.version.cuda)"', ...one.commands],
  };
}

/** What was said as a second way is the first where the first is gone. */
const beginning = ([first, ...others]: Fix[]): Fix[] => (first ? [{ ...first, fix: first.fix.replace(/^or (?=\S)/, "") }, ...others] : []);

/** What somebody would have to fill in before the line does anything. */
const placeholder = /\b(?:IMAGE|COMMAND|PACKAGE|FOLDER|PROGRAM|VERSION|X\.Y)\b|…/;
const fileAsPackage = /\bpip3? install\b[^\n|;&]*\s\S+\.(?:so|dll|pyd)(?:\.\d+)*(?:\s|$)/;

/** A fix whose commands can work, as far as is known; PyTorch's index is one that exists and that the driver of the text runs. */
function known(one: Fix, { cause }: Diagnosis, context: Context, sms: string[]): Fix[] {
  const commands = one.commands.filter((line) => !placeholder.test(line) && !fileAsPackage.test(line));
  const index = commands.map((line) => /download\.pytorch\.org\/whl\/(cu\d+)/.exec(line)?.[1]).find((each) => each !== undefined);
  if (index === undefined) return [{ ...one, commands }];
  const cuda = torchBuilds().find(({ variant }) => variant === index)?.cuda;
  const limit = context.driverCuda?.version;
  const runs =
    cuda !== undefined &&
    (limit === undefined || isWithinMajor(cuda, limit)) &&
    !isBeyond(cuda, context, cause === "arch-unsupported" ? sms : []);
  if (runs) return [{ ...one, commands }];
  // A GPU that only a newer CUDA knows needs the newer driver too.
  if (cause === "arch-unsupported" && cuda !== undefined) {
    const least = leastDriver([{ cuda }], sms);
    return [
      fix(
        `first install a newer NVIDIA driver${least ? ` (${least.driver} or newer)` : ""}: the one here does not run builds for CUDA ${cuda}`,
      ),
      { ...one, commands },
    ];
  }
  const build = torchBuildIn(context);
  if (!build) return [fix("install a newer NVIDIA driver: no CUDA build of PyTorch that is known here runs with this one")];
  return [{ ...one, commands: commands.map((line) => line.replace(/whl\/cu\d+/, `whl/${build.variant}`)) }];
}

/** Since CUDA 11 a driver runs the builds for every release of its major. */
const isWithinMajor = (cuda: string, limit: string): boolean =>
  compareDotted(cuda, limit) <= 0 || (11 <= Number(majorOf(limit)) && majorOf(cuda) === majorOf(limit));

const isBeyond = (cuda: string, { driver }: Context, sms: string[]): boolean => {
  const least = driver && leastDriver([{ cuda }], sms);
  return least !== undefined && /^\d{3}\./.test(driver!.version) && !driverReaches(driver!.version, least.driver);
};
