// A root full of secrets and names of people, each of them a marker of its own that can be looked for.
import { secretTexts } from "../lib/secret-forms.ts";
import type { Files } from "../loader/tree.ts";
import { Dice } from "../fuzz/fuzz.ts";

export interface Planted {
  files: Files;
  /** Never to be seen, in no output. */
  secrets: string[];
  /** Names of people and hosts: never to be seen in what is handed on. */
  names: string[];
}

const letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ";

/** Letters and digits that no other text holds. */
export const marker = (dice: Dice, length = 24) =>
  `${Array.from({ length: length - 1 }, (_, index) => (index % 3 === 2 ? String(dice.below(10)) : dice.pick([...letters]))).join("")}Q`;

const person = (dice: Dice) =>
  `${dice.pick(["grace", "edsger", "ada", "barbara", "j.doe", "x-ray"])}${Array.from({ length: 5 }, () => dice.pick([..."bcdfghjklmnpqrstvwxz"])).join("")}`;

/** Forms that may stand in a line of a start-up file, each with a marker. */
export function plant(seed: number, guilty = "/opt/old"): Planted {
  const dice = new Dice(seed);
  const secrets: string[] = [];
  const names: string[] = [];
  const secret = () => {
    const made = marker(dice);
    secrets.push(made);
    return made;
  };
  const name = () => {
    const made = person(dice);
    names.push(made);
    return made;
  };
  const count = secretTexts(marker(new Dice(0))).length;
  const lines = Array.from({ length: count }, (_, index) => {
    const [, text, part] = secretTexts(marker(dice))[index]!;
    secrets.push(part);
    return text.includes("\n") ? `cat <<EOF\n${text}\nEOF` : dice.chance(2) ? text : `# ${text}`;
  });
  const home = `/home/${name()}`;
  const full = "Grace Brewster Hopper";
  names.push(full);
  const [second, third, fourth, fifth, sixth] = [name(), name(), name(), name(), name()];
  const host = `gpu-${marker(dice, 6).toLowerCase()}`;
  names.push(host);
  const mailbox = `${name()}@mail.example.org`;
  names.push(mailbox);
  const bashrc = [
    `# ${full} <${mailbox}> on ${host}`,
    ...lines.slice(0, 30),
    `export A=${secret()} LD_LIBRARY_PATH=/opt/ignored`,
    `export LD_LIBRARY_PATH="/opt/other:${guilty}:/opt/more" # token ${secret()} of ${full}`,
    `export PYTHONPATH=/opt/py; export PLAIN=${secret()}`,
    `LD_PRELOAD= DB=${secret()} run --with ${secret()}`,
    `export LD_AUDIT OTHER=${secret()}`,
    "cat > ~/.netrc <<EOF",
    `machine host login me password ${secret()}`,
    "EOF",
    `if [ "$(hostname)" = ${host} ]; then`,
    `  alias x='ssh ${second}@${host}'`,
    "fi",
    `TF_SOMETHING=$(curl -H 'X-Thing: ${secret()}' https://host)`,
    "",
  ].join("\n");
  const site = "/venv/lib/python3.11/site-packages";
  return {
    secrets,
    names,
    files: {
      "/etc/passwd": {
        text: `root:x:0:0:root:/root:/bin/sh\ndaemon:x:1:1::/usr/sbin:/bin/false\n${home.slice(6)}:x:1001:1001:${full},,,:${home}:/bin/bash\n${second}:x:1002:1002::/data/users/${second}:/bin/bash\n`,
      },
      "/etc/hostname": { text: `${host}\n` },
      [`${home}/.bashrc`]: { link: "dotfiles/rc" },
      [`${home}/dotfiles/rc`]: { text: bashrc },
      [`${home}/.profile`]: { text: lines.slice(30).join("\n") },
      "/etc/environment": {
        text: `PATH=/usr/bin\nHTTPS_PROXY=http://${second}:${secret()}@proxy:3128\nLD_LIBRARY_PATH=/opt/other:${guilty}:/opt/more\nAPI_TOKEN=${secret()}\n`,
      },
      "/etc/profile.d/site.sh": { text: `# asked for by ${full}\nexport CUDA_HOME=/usr/local/cuda\nexport WANDB_API_KEY=${secret()}\n` },
      "/etc/ld.so.conf": { text: `# ${full}: ${secret()}\n/usr/lib/cuda # ${mailbox}\n` },
      [`${site}/a.pth`]: {
        text: `import os; os.environ['X_TOKEN'] = '${secret()}'\n# ${mailbox}\n/data/users/${second}/src\n/nfs/home/${third}/src\n/scratch/${fourth}/src\n/mnt/big/home/${fifth}/src\n/export/home/${sixth}/src\n/opt/${second}-env/lib\n`,
      },
      [`/data/users/${second}/src`]: { folder: true },
      [`/nfs/home/${third}/src`]: { folder: true },
      [`/scratch/${fourth}/src`]: { folder: true },
      [`/mnt/big/home/${fifth}/src`]: { folder: true },
      [`/export/home/${sixth}/src`]: { folder: true },
      [`/Users/${name()}/x`]: { folder: true },
      // Nothing is known of these but that they are there.
      [`/home/${name()}`]: { folder: true },
      [`/opt/${second}-env/lib`]: { folder: true },
      [`${site}/thing-1.0.dist-info/METADATA`]: {
        text: `Name: thing\nVersion: 1.0\nAuthor: ${full}\nAuthor-email: ${mailbox}\nRequires-Dist: torch @ https://me:${secret()}@host.example/torch.whl\n`,
      },
      [`${site}/thing-1.0.dist-info/direct_url.json`]: {
        text: `{"url": "https://${secret()}@git.example/x.git", "vcs_info": {"vcs": "git"}}`,
      },
      [`${site}/thing-1.0.dist-info/RECORD`]: { text: `thing/${home.slice(6)}.so,sha256=abc,1\n` },
      "/venv/bin/activate": {
        text: `VIRTUAL_ENV=/venv\nexport VIRTUAL_ENV\nexport PIP_INDEX_URL=https://me:${secret()}@host.example/simple\n`,
      },
    },
  };
}

/** Variables of a process, with secrets and names in them. */
export function plantedVariables(planted: Planted, seed: number): { [name: string]: string } {
  const dice = new Dice(seed ^ 0x5eed);
  const secret = () => {
    const made = marker(dice);
    planted.secrets.push(made);
    return made;
  };
  const home = Object.keys(planted.files)
    .find((path) => path.endsWith("/.bashrc"))!
    .replace("/.bashrc", "");
  return {
    HOME: home,
    USER: home.slice(6),
    LOGNAME: home.slice(6),
    HOSTNAME: planted.names.find((name) => name.startsWith("gpu-"))!,
    NCCL_AUTH_TOKEN: secret(),
    CUDA_API_KEY: secret(),
    TORCH_HUB_URL: `https://me:${secret()}@host.example/hub`,
    NVIDIA_DB_PASS: secret(),
    JAX_HEADER: `Authorization: Bearer ${secret()}`,
    PATH: `${home}/bin:/usr/bin`,
    LD_LIBRARY_PATH: "/opt/other:/opt/old:/opt/more",
  };
}
