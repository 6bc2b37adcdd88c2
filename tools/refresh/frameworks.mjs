// Releases of frameworks that PyPI has and knowledge/frameworks/ has not. Of torch the requirements alone tell the build; what only its
// files tell is left to `npm run harvest`.
import { compareDotted, insert, sourceKey } from "./get.mjs";

const packagesOf = { torch: "torch", tensorflow: "tensorflow", jax: "jax", onnxruntime: "onnxruntime-gpu" };

/** Rows that the requirements of a release give, and what somebody should read from the files. */
export function frameworksIn({ read, today }) {
  const { packages } = read("published");
  const files = {};
  const changes = [];
  const persons = [];
  for (const [id, name] of Object.entries(packagesOf)) {
    const file = read(`frameworks/${id}`);
    const newest = file.releases.at(-1).version;
    const releases = packages.find((row) => row.name === name)?.releases ?? [];
    for (const { version, requires = [], yanked } of releases) {
      if (yanked || file.releases.some((row) => row.version === version) || compareDotted(version, newest) <= 0) continue;
      const row = id === "torch" ? torchRow(version, requires) : undefined;
      if (row) {
        insert(file.releases, { ...row, source: sourceKey(file.sources, `the metadata of torch ${version} on PyPI`), checked: today });
        files[`frameworks/${id}`] = file;
        changes.push(`torch ${version} is built for CUDA ${row.cuda}`);
      }
      persons.push(
        `${name} ${version}: \`npm run harvest -- ${name}==${version}\` reads its files, \`npm run watch -- ${name}==${version}\` what it loads`,
      );
    }
  }
  return { files, changes, persons };
}

function torchRow(version, requires) {
  const pins = {};
  for (const text of requires) {
    const [, name, extras = "", specifier] = /^\s*([\w.-]+)\s*(\[[^\]]*\])?\s*([^;]*?)\s*(?:;.*)?$/.exec(text) ?? [];
    if (/^(nvidia-|cuda-)/.test(name ?? "")) pins[`${name}${extras}`] = specifier.replace(/\s/g, "");
  }
  const exact = (stem) => /^==([\d.]+)$/.exec(Object.entries(pins).find(([name]) => name.startsWith(stem))?.[1] ?? "")?.[1];
  const toolkit = exact("cuda-toolkit") ?? exact("nvidia-cuda-runtime");
  if (toolkit === undefined) return undefined;
  const [major, minor] = toolkit.split(".");
  return {
    version,
    variant: `cu${major}${minor}`,
    cuda: `${major}.${minor}`,
    default: true,
    ...(exact("nvidia-cudnn-cu") ? { cudnn: exact("nvidia-cudnn-cu") } : {}),
    ...(exact("nvidia-nccl-cu") ? { nccl: exact("nvidia-nccl-cu") } : {}),
    bundled: false,
    pins,
  };
}
