import { gpuBuilds } from "../../dependency-files/builds.ts";
import { stepFact } from "../../dependency-files/facts.ts";
import { dependencyFileSide } from "../rule.ts";
import page from "./page.ts";
import { foldersOf, lastingValue } from "../../dependency-files/variables.ts";

export default dependencyFileSide(page, {
  finds: ({ declaration, gpus, installation }) => {
    const path = lastingValue(declaration.steps, "LD_LIBRARY_PATH");
    const folder = path && foldersOf(path.value).find((each) => /\/cuda[^/]*\/compat$/.test(each));
    const refusing = gpus.find(({ kind }) => kind === "consumer");
    if (!path || folder === undefined || !refusing) return [];
    return [
      {
        subject: folder,
        place: path.place,
        certainty: "likely" as const,
        short: `the compat library does not work on ${refusing.name}`,
        message: `LD_LIBRARY_PATH puts ${folder} before the driver's own libcuda, and ${refusing.name} does not allow that`,
        because: [
          "forward compatibility is for data-center GPUs; on others the driver refuses it with error 804",
          "the variable is searched before the folders where the container toolkit puts the driver",
        ],
        advice: ["take the folder out, and upgrade the driver of the host to what the programs need"],
        facts: { variables: [stepFact(path, [folder])], gpus: [{ name: refusing.name, sm: refusing.sm }] },
        breaks: gpuBuilds(installation).map(({ framework }) => ({ framework, activity: "device" })),
        sources: ["https://docs.nvidia.com/deploy/cuda-compatibility/forward-compatibility.html"],
      },
    ];
  },
});
