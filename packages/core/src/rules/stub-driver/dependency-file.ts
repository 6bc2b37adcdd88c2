import { gpuBuilds } from "../../dependency-files/builds.ts";
import { stepFact } from "../../dependency-files/facts.ts";
import { dependencyFileSide } from "../rule.ts";
import page from "./page.ts";
import { foldersOf } from "../../dependency-files/variables.ts";

const linksStub = /\bln\b[^\n]{0,200}\blibcuda\.so\b[^\n]{0,200}\bstubs\/libcuda\.so\.1\b/;

export default dependencyFileSide(page, {
  finds: ({ declaration, installation }) =>
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
    }),
});
