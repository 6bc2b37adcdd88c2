// Toolkits: NVIDIA's manifests (redistrib_*.json) name each release with its day and the versions of its parts; the release notes name drivers.
import { compareDotted, insert, parsed, sourceKey, Unreadable } from "./get.mjs";

const manifests = "https://developer.download.nvidia.com/compute/cuda/redist/";
const notes = "https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/index.html";

export const toolkits = {
  id: "toolkits",
  words: "CUDA toolkits (NVIDIA's manifests and release notes)",
  async refresh({ get, read, today }) {
    const file = read("cuda-toolkits");
    const changes = [];
    const persons = [];
    const listed = releasesIn(await get(manifests), "the list of CUDA's manifests");
    // Older ones have no manifest, or one that was looked at.
    const oldest = file.toolkits[0].version;
    for (const version of listed.filter((each) => 0 < compareDotted(each, oldest) && !file.toolkits.some((row) => row.version === each))) {
      const row = rowOf(parsed(await get(`${manifests}redistrib_${version}.json`), `redistrib_${version}.json`), version);
      if (!file.sonames.some(({ first, last }) => compareDotted(first, row.cuda) <= 0 && compareDotted(row.cuda, last) <= 0)) {
        persons.push(
          `CUDA ${version} is of a new minor release: what its libraries are called and what it builds for must be read from its files`,
        );
        continue;
      }
      insert(file.toolkits, { ...row, source: sourceKey(file.sources, `NVIDIA's manifest redistrib_${version}.json`), checked: today });
      changes.push(`CUDA toolkit ${version} (${row.released})`);
    }
    for (const { name, cuda, update, driver } of driversIn(await get(notes))) {
      // Since 13.4 the third number of a release is that of a build, and the notes do not say it.
      const version = `${cuda}.${update}`;
      const row = file.toolkits.find((each) => each.version === version);
      if (0 <= compareDotted(cuda, "13.4")) {
        if (!file.toolkits.some((each) => each.cuda === cuda && each.driver === driver))
          persons.push(`the release notes name driver ${driver} for ${name}: which release that is, somebody must say`);
      } else if (row && row.driver === undefined) {
        row.driver = driver;
        row.from = { ...row.from, driver: sourceKey(file.sources, "https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/index.html") };
        changes.push(`CUDA toolkit ${version} goes with driver ${driver}`);
      }
    }
    return { files: 0 < changes.length ? { "cuda-toolkits": file } : {}, changes, persons };
  },
};

export function releasesIn(page, what) {
  const found = [...new Set([...page.matchAll(/redistrib_(\d+(?:\.\d+)+)\.json/g)].map(([, version]) => version))];
  if (found.length === 0) throw new Unreadable(`${what} lists no manifest`);
  return found.sort(compareDotted);
}

function rowOf(manifest, version) {
  const of = (name) => manifest[name]?.version;
  if (manifest.release_label !== version || !of("cuda_cudart"))
    throw new Unreadable(`redistrib_${version}.json is not the manifest of CUDA ${version}`);
  const row = {
    version,
    cuda: version.split(".").slice(0, 2).join("."),
    released: manifest.release_date,
    bundledDriver: of("nvidia_driver"),
    driver: of("nvidia_driver"),
    nvcc: of("cuda_nvcc"),
    cudart: of("cuda_cudart"),
    cupti: of("cuda_cupti"),
  };
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));
}

/** The rows of the table of toolkits and their drivers. */
function driversIn(page) {
  const text = page
    .replace(/<[^>]*>/g, " ")
    .replaceAll("&gt;", ">")
    .replace(/\s+/g, " ");
  const rows = [...text.matchAll(/CUDA (\d+\.\d+)(?: (?:Update (\d+)|GA))? >= ?(\d+(?:\.\d+)+)/g)];
  if (rows.length === 0) throw new Unreadable("the release notes of CUDA have no table of drivers");
  return rows.map(([, cuda, update = "0", driver]) => ({
    name: `CUDA ${cuda}${update === "0" ? "" : ` Update ${update}`}`,
    cuda,
    update: Number(update),
    driver,
  }));
}
