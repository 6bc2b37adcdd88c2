import { gpuBuilds } from "../../dependency-files/builds.ts";
import { stepFact } from "../../dependency-files/facts.ts";
import type { InstallContext } from "../../dependency-files/context.ts";
import { dependencyFileSide, type DependencyFileDraft } from "../rule.ts";
import page from "./page.ts";
import { foldersOf } from "../../dependency-files/variables.ts";

const linksStub = /\bln\b[^\n]{0,200}\blibcuda\.so\b[^\n]{0,200}\bstubs\/libcuda\.so\.1\b/;

export default dependencyFileSide(page, {
  finds: (context) => [...putInPlace(context), ...onPath(context)],
});

/** A stub that gets the name of the driver's library, outside of its own folder: `ln -s …/stubs/libcuda.so /usr/local/cuda/lib64/libcuda.so.1`. */
function putInPlace({ declaration: { steps }, installation }: InstallContext): DependencyFileDraft[] {
  const lines = steps.flatMap((step, index) => (step.kind === "line" ? [{ step, index }] : []));
  return lines.flatMap(({ step, index }): DependencyFileDraft[] => {
    const [, verb, rest = ""] = /(?:^|\s)(ln|cp|install)\s([^\n]{0,400})/.exec(step.text) ?? [];
    const words = rest.split(/\s+/).filter((word) => word !== "" && !word.startsWith("-"));
    const file = 1 < words.length && /\/stubs\/libcuda\.so(?:\.1)?$/.test(words.at(-2)!) ? placeOf(words.at(-1)!) : undefined;
    if (file === undefined || /\/stubs\//.test(file)) return [];
    // Many need it for a link while the image is built, and take it away again.
    const isGone = lines.some((later) => index < later.index && /(?:^|\s)rm\s/.test(later.step.text) && later.step.text.includes(file));
    if (isGone) return [];
    // The container's runtime makes links anew in the system's own folder, and none in that of a toolkit.
    const stays = verb !== "ln" || !/^\/(?:usr\/)?lib(?:64)?\//.test(file);
    const affected = gpuBuilds(installation).map(({ framework }) => ({ framework, activity: "device" }));
    return [
      {
        subject: file,
        place: step.place,
        certainty: stays ? "likely" : "possible",
        ...(stays ? {} : { severity: "warning" as const }),
        short: `${file} becomes a stub of libcuda`,
        message: `${file} is made of the stub of libcuda, which has no code: programs find it under the name of the driver's own library`,
        because: [
          `the line is \`${step.text.slice(0, 200)}\``,
          "a stub is there to link against; the driver comes with the machine, or with the container's runtime",
        ],
        facts: {
          copies: [{ role: "other", file, library: "libcuda" }],
          said: "CUDA driver is a stub library",
        },
        ...(stays ? { breaks: affected } : { endangers: affected }),
        advice: ["take the line out, and give the folder of the stub to the linker only: LIBRARY_PATH, or -L on its command line"],
      },
    ];
  });
}

/** Where the stub ends up under the name that programs open: a folder keeps the name that it had. */
const placeOf = (target: string): string | undefined => (target.endsWith("/libcuda.so.1") ? target : undefined);

const onPath = ({ declaration, installation }: InstallContext): DependencyFileDraft[] =>
  declaration.steps.flatMap((step) => {
    if (step.kind !== "variable" || step.isLate || step.name !== "LD_LIBRARY_PATH") return [];
    const folder = foldersOf(step.value ?? "").find((part) => part.endsWith("/stubs"));
    if (folder === undefined) return [];
    // The folder holds `libcuda.so` alone, and frameworks open `libcuda.so.1`: only who makes that name there leads them to the stub.
    const isLinked = declaration.steps.some((each) => each.kind === "line" && linksStub.test(each.text));
    return [
      {
        subject: folder,
        place: step.place,
        certainty: "likely" as const,
        ...(isLinked ? {} : { severity: "info" as const }),
        short: "LD_LIBRARY_PATH leads to a stub of libcuda",
        message: `LD_LIBRARY_PATH names ${folder}, where libcuda is a stub without code`,
        because: [
          "the variable is searched before the folders where a driver lies",
          isLinked
            ? "a line makes libcuda.so.1 of it, the name that frameworks open"
            : "programs that open libcuda.so get the stub; frameworks open libcuda.so.1, which is not there",
        ],
        facts: {
          variables: [stepFact(step, [folder])],
          copies: [{ role: "other" as const, file: `${folder}/libcuda.so`, library: "libcuda" }],
          said: "CUDA driver is a stub library",
        },
        breaks: isLinked ? gpuBuilds(installation).map(({ framework }) => ({ framework, activity: "device" })) : [],
        advice: ["give the folder to the linker only: LIBRARY_PATH, or -L on its command line"],
      },
    ];
  });
