import type { Place } from "./place.ts";

// Of all releases since 1.28; `gpus: all` came with 2.30.
const devices = "deploy: {resources: {reservations: {devices: [{driver: nvidia, count: all, capabilities: [gpu]}]}}}";

/** What an option of `docker run` is called in the file of Docker Compose. */
const keys: [option: RegExp, key: string][] = [
  [/--gpus all/, devices],
  [/-e (\w+=[^\s`]+)/, "environment: [$1]"],
  [/--cap-add=(\w+)/, "cap_add: [$1]"],
  [/--shm-size=(\w+)/, "shm_size: $1"],
  [/--ipc=(\w+)/, "ipc: $1"],
  [/--runtime[ =](\w+)/, "runtime: $1"],
];

/** The options of a line, each as the service in the file has it; undefined where one has no such name. */
function inFile(options: string): string | undefined {
  let rest = options;
  const said: string[] = [];
  for (const [option, key] of keys)
    for (let found = option.exec(rest); found; found = option.exec(rest)) {
      said.push(found[0].replace(option, key));
      rest = rest.replace(found[0], "").trim();
    }
  return rest === "" && 0 < said.length ? said.map((each) => `\`${each}\``).join(", ") : undefined;
}

/** Containers that a file starts (Docker Compose). */
export const compose: Place = {
  line: (command) => [command],
  fix: (one) => [
    {
      ...one,
      fix: one.fix
        .replace(/add `(?<options>[^`]+)` to `docker run`/, (whole, options: string) => {
          const file = inFile(options);
          return file === undefined ? whole : `add ${file} to the service in the compose file`;
        })
        .replace("`--gpus all` (`docker run --gpus all \u2026`)", `\`${devices}\` at its service in the compose file`),
    },
  ],
  first: () => [],
};
