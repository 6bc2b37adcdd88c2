// What the NVIDIA container toolkit puts into a container: NVIDIA_DRIVER_CAPABILITIES chooses, and where nothing is said, `compute,utility`.
// https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html

const libraries = { compute: "libcuda.so.1", utility: "libnvidia-ml.so.1" };

/** The libraries of the driver that a container with these variables gets, as far as programs ask for them. */
export function exposedLibraries(environment: { [name: string]: string }): string[] {
  const said = environment["NVIDIA_DRIVER_CAPABILITIES"] || "compute,utility";
  const capabilities = new Set(said.split(",").map((each) => each.trim()));
  return Object.entries(libraries).flatMap(([capability, library]) =>
    capabilities.has(capability) || capabilities.has("all") ? [library] : [],
  );
}
