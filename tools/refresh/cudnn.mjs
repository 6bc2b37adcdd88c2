// cuDNN: NVIDIA's manifests name each release with its day and the CUDAs that it was made for.
import { compareDotted, insert, parsed, sourceKey, Unreadable } from "./get.mjs";
import { releasesIn } from "./toolkits.mjs";

const manifests = "https://developer.download.nvidia.com/compute/cudnn/redist/";

export const cudnn = {
  id: "cudnn",
  words: "cuDNN (NVIDIA's manifests)",
  async refresh({ get, read, today }) {
    const file = read("cudnn");
    const changes = [];
    const persons = [];
    const three = (version) => version.split(".").slice(0, 3).join(".");
    const newest = file.releases.at(-1);
    for (const label of releasesIn(await get(manifests), "the list of cuDNN's manifests")) {
      if (file.releases.some(({ version }) => three(version) === three(label)) || compareDotted(label, newest.version) <= 0) continue;
      const { release_date: released, cudnn: part } = parsed(await get(`${manifests}redistrib_${label}.json`), `redistrib_${label}.json`);
      if (!/^\d+\.\d+\.\d+\.\d+$/.test(part?.version ?? "")) throw new Unreadable(`redistrib_${label}.json is not the manifest of a cuDNN`);
      const [major, minor, patch] = part.version.split(".").map(Number);
      if (String(major) !== newest.version.split(".")[0]) {
        persons.push(`cuDNN ${part.version} is a new major release: which objects it consists of must be read from its files`);
        continue;
      }
      insert(file.releases, {
        version: part.version,
        number: major * 10_000 + minor * 100 + patch,
        released,
        cudaMajors: (part.cuda_variant ?? newest.cudaMajors).map(Number),
        soname: `libcudnn.so.${major}`,
        file: `libcudnn.so.${major}.${minor}.${patch}`,
        layout: newest.layout,
        inferred: ["layout"],
        source: sourceKey(file.sources, `NVIDIA's manifest of cuDNN redistrib_${label}.json`),
        checked: today,
      });
      changes.push(`cuDNN ${part.version} (${released})`);
      persons.push(
        `cuDNN ${part.version}: \`npm run harvest -- nvidia-cudnn-cu13==${part.version}\` shows whether its objects are those of ${newest.version}`,
      );
    }
    return { files: 0 < changes.length ? { cudnn: file } : {}, changes, persons };
  },
};
