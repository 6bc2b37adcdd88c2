import { gpuBuilds } from "../../dependency-files/builds.ts";
import { installedFact, stepFact } from "../../dependency-files/facts.ts";
import { dependencyFileSide } from "../rule.ts";
import page from "./page.ts";
import { lastingValue, meansGpu } from "../../dependency-files/variables.ts";
import { fullName } from "../../dependency-files/words.ts";

export default dependencyFileSide(page, {
  finds: (context) => {
    const given = lastingValue(context.declaration.steps, "NVIDIA_DRIVER_CAPABILITIES");
    const names = given?.value.split(",").map((name) => name.trim().toLowerCase()) ?? [];
    // An empty value means what is usual: compute and utility.
    if (!given || given.value.trim() === "" || names.includes("all") || names.includes("compute")) return [];
    const builds = gpuBuilds(context.installation);
    if (builds.length === 0 || !meansGpu(context)) return [];
    return [
      {
        subject: "NVIDIA_DRIVER_CAPABILITIES",
        place: given.place,
        certainty: "likely" as const,
        short: `NVIDIA_DRIVER_CAPABILITIES leaves out compute`,
        message: `NVIDIA_DRIVER_CAPABILITIES=${given.value} leaves out compute: libcuda.so.1 is not put into the container`,
        because: [
          "the container toolkit puts in the libraries of the capabilities that are named, and libcuda belongs to compute",
          `${fullName(builds[0]!.installed)} needs it`,
        ],
        advice: [`set NVIDIA_DRIVER_CAPABILITIES=${[...new Set(["compute", "utility", ...names])].join(",")}`],
        facts: {
          variables: [stepFact(given)],
          packages: builds.map(({ installed }) => installedFact(installed, "asks")),
          wanted: { name: "libcuda.so.1", library: "libcuda", requestedBy: builds[0]!.installed.name, tried: [] },
        },
        breaks: builds.map(({ framework }) => ({ framework, activity: "device" })),
        sources: ["https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html"],
      },
    ];
  },
});
