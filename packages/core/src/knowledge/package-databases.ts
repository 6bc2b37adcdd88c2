// What the databases of package managers say about files: what to keep of them, and what to read in it.

/** Only packages that can own a GPU library are looked at: their names say so. */
export const ownsGpuLibraries =
  /cuda|cudnn|cublas|cufft|curand|cusolver|cusparse|cutensor|cupti|nvidia|nvrtc|nvjitlink|nvtx|nccl|nvshmem|tensorrt|nvinfer|npp|nsight|libnv/i;

/** Where rpm keeps it, and Fedora's image-based systems; the older forms (Berkeley DB and ndb) come last, as they are not read. */
export const rpmDatabases = ["/var/lib/rpm", "/usr/lib/sysimage/rpm", "/usr/share/rpm"].flatMap((folder) =>
  ["rpmdb.sqlite", "Packages", "Packages.db"].map((name) => `${folder}/${name}`),
);

export const isRpmDatabase = (path: string) => rpmDatabases.includes(path);

/** The shared libraries that a file of conda-meta says were installed, relative to the environment: under `files`, and again under `paths_data`. */
export function librariesOfConda(text: string): string[] {
  return [...new Set([...text.matchAll(/"((?:lib|targets|nvvm)\/[^"]*\.so[^"]*)"/g)].map((found) => found[1]!))];
}
