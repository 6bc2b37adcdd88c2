// Builds of torch: PyTorch's own index lists every wheel, and beside each lie its metadata.
import { compareDotted, insert, sourceKey, Unreadable } from "./get.mjs";

const index = "https://download.pytorch.org/whl/torch/";

export const builds = {
  id: "builds",
  words: "builds of torch (PyTorch's own index)",
  async refresh({ get, read, today }) {
    const file = read("frameworks/torch");
    const changes = [];
    for (const { version, variant, name, href } of wheelsIn(await get(index))) {
      if (file.releases.some((row) => row.version === version && row.variant === variant)) continue;
      const pins = pinsIn(await get(`${new URL(href, index).href}.metadata`), name);
      const own = (stem) => Object.entries(pins).find(([each]) => each.startsWith(stem))?.[1];
      const exact = (specifier) => /^==([\d.]+)$/.exec(specifier ?? "")?.[1];
      const [cudnn, nccl] = [exact(own("nvidia-cudnn-cu")), exact(own("nvidia-nccl-cu"))];
      insert(file.releases, {
        version,
        variant,
        cuda: `${variant.slice(2, -1)}.${variant.at(-1)}`,
        default: false,
        ...(cudnn ? { cudnn } : {}),
        ...(nccl ? { nccl } : {}),
        bundled: Object.keys(pins).length === 0,
        pins,
        source: sourceKey(file.sources, `PyTorch's own index: the metadata of ${name}`),
        checked: today,
      });
      changes.push(`torch ${version}+${variant}`);
    }
    return { files: 0 < changes.length ? { "frameworks/torch": file } : {}, changes, persons: [] };
  },
};

/** One wheel for each release and variant of CUDA, for Linux on x86_64. */
function wheelsIn(page) {
  const links = [...page.matchAll(/<a\s[^>]*href="([^"#]+\.whl)(?:#[^"]*)?"/g)].map(([, href]) => href);
  if (links.length === 0) throw new Unreadable("PyTorch's index lists no wheel");
  const found = new Map();
  for (const href of links) {
    const name = decodeURIComponent(href.split("/").at(-1));
    const [, version, variant] = /^torch-(\d+(?:\.\d+)+)\+(cu\d{2,3})-cp\d+-cp\d+-(?:manylinux\w*|linux)_x86_64\.whl$/.exec(name) ?? [];
    // Older ones were looked at, one by one.
    if (version !== undefined && 0 <= compareDotted(version, "2.0.0")) found.set(`${version}+${variant}`, { version, variant, name, href });
  }
  return [...found.values()];
}

/** Requirements on GPU packages on Linux on x86_64. */
export function pinsIn(metadata, name) {
  if (!/^Metadata-Version:/m.test(metadata)) throw new Unreadable(`what lies beside ${name} are no metadata`);
  const header = metadata.split(/\r?\n\r?\n/, 1)[0];
  const pins = {};
  for (const [, line] of header.matchAll(/^Requires-Dist:\s*(.+)$/gm)) {
    const [requirement, marker = ""] = line.split(";");
    if (/\bextra\b/.test(marker) || (/win32|windows|darwin|aarch64|arm64/i.test(marker) && !/linux|x86_64/i.test(marker))) continue;
    const [, package_, extras, specifier] = /^\s*([\w.-]+)\s*(\[[^\]]*\])?\s*\(?([^)]*)\)?\s*$/.exec(requirement) ?? [];
    const key = package_?.toLowerCase().replace(/[-_.]+/g, "-");
    if (!/^(nvidia-|cuda-)/.test(key ?? "")) continue;
    const parts = extras
      ?.slice(1, -1)
      .split(",")
      .map((part) => part.trim())
      .sort()
      .join(",");
    pins[parts ? `${key}[${parts}]` : key] = specifier.replace(/\s/g, "");
  }
  return Object.fromEntries(Object.entries(pins).sort(([a], [b]) => (a < b ? -1 : 1)));
}
