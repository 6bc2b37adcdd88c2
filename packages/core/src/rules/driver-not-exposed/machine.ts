import { isCompat } from "../../frameworks/driver.ts";
import { exposedLibraries } from "../../knowledge/container.ts";
import { folderOf } from "../../lib/path.ts";
import { copyFact, gpuFact, variableFact, wantedFact } from "../../diagnose/facts.ts";
import type { Stack } from "../../diagnose/stack.ts";
import type { Advice } from "../../model/finding.ts";
import { machineSide } from "../rule.ts";
import page from "./page.ts";
import { tellLdconfig, triedWords } from "../../diagnose/words.ts";

export default machineSide(page, {
  finds(stack) {
    const { gpus } = stack.inventory;
    const breaks = stack.runs.flatMap(({ programs, activities }) =>
      programs
        .filter(({ cpuOnly }) => cpuOnly === undefined && activities.includes("device"))
        .map(({ id }) => ({ framework: id, activity: "device" })),
    );
    if (!stack.lacksDriver || breaks.length === 0) return [];
    return [
      {
        subject: "libcuda.so.1",
        short: "there is no NVIDIA driver here",
        message: `there is no NVIDIA driver here for ${gpus[0]?.name ?? "the GPU"}: libcuda.so.1 is not found`,
        because: ["no kernel module, no device and no libcuda.so.1 is there; everything else is judged as if a driver were"],
        advice: ["install the driver, or say which one is meant with `--driver V`"],
        facts: { gpus: gpus.map(gpuFact) },
        breaks,
      },
    ];
  },
  blames(stack, stop) {
    const failed = stop.failure.underlying ?? stop.failure;
    const { refusal } = stop.failure;
    // A driver that is found and does not answer is another matter.
    const isSearch = refusal === undefined || failed !== stop.failure;
    const isDriver = refusal?.kind === "no-driver" || (isSearch && failed.reason === "not-found" && failed.name.startsWith("libcuda.so"));
    const exposed = exposedLibraries(stack.variables);
    const monitor = "libnvidia-ml.so.1";
    const isMonitor = isSearch && failed.reason === "not-found" && failed.name === monitor && !exposed.includes(monitor);
    if (!isDriver && !isMonitor) return undefined;
    const [soname, words, capability] = isDriver
      ? ["libcuda.so.1", "the driver's library", "compute"]
      : [monitor, "the driver's library for monitoring", "utility"];
    const { driver, gpus, copies } = stack.inventory;
    const isLeftOut = !exposed.includes(soname);
    const capabilities = `NVIDIA_DRIVER_CAPABILITIES=${stack.variables["NVIDIA_DRIVER_CAPABILITIES"]}`;
    const elsewhere = copies.filter(({ library, stub, file }) => library === "libcuda" && !stub && !isCompat(file));
    const seen = [
      ...(driver.kernel === undefined ? [] : [`the kernel has driver ${driver.kernel}`]),
      ...gpus.slice(0, 1).map(({ name }) => `a GPU is there: ${name}`),
    ];
    return {
      specificity: 5,
      // How the container is started has the last word about its capabilities.
      ...(isLeftOut ? { certainty: "likely" as const } : {}),
      subject: soname,
      short: isLeftOut ? `${soname} is not put into the container` : "libcuda.so.1, the driver's library, is not found",
      message: isLeftOut
        ? `${soname}, ${words}, is not put into the container`
        : `libcuda.so.1, the driver's library, is not found${0 < seen.length ? `, though ${seen.join(" and ")}` : ""}`,
      because: [
        isLeftOut
          ? `${capabilities} leaves out \`${capability}\`, and with it ${soname}`
          : driver.container
            ? "this is a container, and the driver's libraries were not put into it"
            : "no folder that is searched holds it",
        ...triedWords(failed),
      ],
      evidence: (isDriver ? elsewhere : []).map(({ file }) => `a copy that is not searched: ${file}`),
      facts: {
        wanted: wantedFact(failed, soname),
        copies: (isDriver ? elsewhere : []).map((copy) => copyFact(copy, "hidden")),
        ...(isLeftOut ? { variables: [variableFact(stack, "NVIDIA_DRIVER_CAPABILITIES")] } : {}),
        driver: driver.kernel === undefined ? {} : { version: driver.kernel },
        gpus: gpus.map(gpuFact),
      },
      advice: adviceOf(stack.inventory, isLeftOut, elsewhere[0]?.file),
    };
  },
});

function adviceOf({ driver }: Stack["inventory"], isLeftOut: boolean, elsewhere: string | undefined): (string | Advice)[] {
  if (isLeftOut)
    return [
      "start the container with it: docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility IMAGE",
      "or put it into the image: ENV NVIDIA_DRIVER_CAPABILITIES=compute,utility",
    ];
  if (driver.container)
    return ["start the container with --gpus all (NVIDIA container toolkit), and with NVIDIA_DRIVER_CAPABILITIES=compute,utility"];
  return [
    ...(elsewhere === undefined ? [] : [tellLdconfig(folderOf(elsewhere))]),
    driver.kernel === undefined
      ? "install the NVIDIA driver with its compute libraries"
      : `install the compute libraries of driver ${driver.kernel} (Debian and Ubuntu: libnvidia-compute-${driver.kernel.split(".")[0]})`,
  ];
}
