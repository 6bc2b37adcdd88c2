// Colab: googlecolab/backend-info holds what its image has, a commit for each change.
import { parsed, sourceKey, Unreadable } from "./get.mjs";

const repository = "googlecolab/backend-info";
const names = { pip: "pip-freeze.gpu.txt", apt: "apt-list-gpu.txt", os: "os-info-gpu.txt" };

export const colab = {
  id: "colab",
  words: "Google Colab (googlecolab/backend-info)",
  async refresh({ get, read, today }) {
    const file = read("colab");
    const commits = parsed(
      await get(`https://api.github.com/repos/${repository}/commits?path=${names.pip}&per_page=1`),
      "the list of commits",
    );
    const sha = commits[0]?.sha;
    const date = commits[0]?.commit?.committer?.date?.slice(0, 10);
    if (!/^[0-9a-f]{40}$/.test(sha ?? "") || !date) throw new Unreadable("the list of commits has none");
    const source = `github:${repository}@${sha}:${Object.values(names).join(", ")}`;
    if (Object.values(file.sources).includes(source)) return { files: {}, changes: [], persons: [] };
    const text = async (name) => get(`https://raw.githubusercontent.com/${repository}/${sha}/${name}`);
    const before = file.images.findLast(({ image }) => image === "gpu") ?? file.images.at(-1);
    const row = {
      date,
      image: "gpu",
      ...osIn(await text(names.os)),
      pip: kept(
        freezeIn(await text(names.pip)),
        file.images.map(({ pip }) => pip),
      ),
      apt: kept(
        aptIn(await text(names.apt)),
        file.images.map(({ apt }) => apt),
      ),
    };
    const same = ["ubuntu", "python", "pip", "apt"].every((field) => JSON.stringify(row[field]) === JSON.stringify(before[field]));
    if (same || date < before.date) return { files: {}, changes: [], persons: [] };
    file.images.push({ ...row, source: sourceKey(file.sources, source), checked: today });
    return { files: { colab: file }, changes: [`Colab's image of ${date}: ${differences(before, row).join(", ")}`], persons: [] };
  },
};

function osIn(text) {
  const ubuntu = /^Ubuntu (\d+\.\d+(?:\.\d+)?)/m.exec(text)?.[1];
  const python = /^Python (\d+\.\d+\.\d+)/m.exec(text)?.[1];
  if (!ubuntu || !python) throw new Unreadable(`${names.os} names no system`);
  return { ubuntu, python };
}

function freezeIn(text) {
  const found = Object.fromEntries([...text.matchAll(/^([\w.-]+)==(\S+)$/gm)].map(([, name, version]) => [name, version]));
  if (!found.torch) throw new Unreadable(`${names.pip} lists no torch`);
  return found;
}

function aptIn(text) {
  const found = Object.fromEntries([...text.matchAll(/^([\w.+-]+)\/\S+ (\S+) amd64/gm)].map(([, name, version]) => [name, version]));
  if (!found.libc6) throw new Unreadable(`${names.apt} lists no libc6`);
  return found;
}

/** Of all packages those that some image was looked at for, whichever CUDA is in their name. */
function kept(found, before) {
  const general = (name) => name.replace(/-\d+-\d+$/, "").replace(/-cu(da-)?\d+x?$/, "-cu");
  const known = new Set(before.flatMap((row) => Object.keys(row ?? {})).map(general));
  const entries = Object.entries(found).filter(([name]) => known.has(general(name)));
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function differences(before, now) {
  const told = [];
  for (const field of ["ubuntu", "python"]) if (before[field] !== now[field]) told.push(`${field} ${before[field]} → ${now[field]}`);
  for (const list of ["pip", "apt"])
    for (const name of Object.keys({ ...before[list], ...now[list] }))
      if (before[list]?.[name] !== now[list]?.[name])
        told.push(`${name} ${before[list]?.[name] ?? "none"} → ${now[list]?.[name] ?? "none"}`);
  return told;
}
