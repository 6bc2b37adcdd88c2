// What `culprit run` costs while a command runs well: wall time and processor time over the bare command, for one that is quiet,
// one that computes, one that prints a lot and one with many libraries (python3, where it is there). Medians of interleaved rounds.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { parseArgs } from "node:util";
import { cli, environment } from "./race.mjs";

const { values: options } = parseArgs({ options: { rounds: { type: "string", default: "7" } } });
const rounds = Number(options.rounds);
const clock = "/usr/bin/time";
if (!fs.existsSync(clock)) {
  console.error(`${clock} is not there: install the package \`time\``);
  process.exit(2);
}

// Wall and processor time of a command with all its children, in seconds.
function cost(command, args) {
  const { status, stderr } = spawnSync(clock, ["-f", "%e %U %S", command, ...args], {
    env: environment,
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  const [wall, user, system] = stderr.trim().split("\n").at(-1).split(" ").map(Number);
  return { wall, processor: user + system };
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const milliseconds = (value) => `${(value * 1000).toFixed(0).padStart(6)} ms`;

const python = spawnSync("python3", ["-c", "import ctypes, decimal, ssl, sqlite3"], { env: environment }).status === 0;
const busy = (time) => `const end = Date.now() + ${time}; while (Date.now() < end);`;
const commands = {
  "quiet for three seconds": ["sleep", ["3"]],
  "one second of computing": [process.execPath, ["-e", busy(1000)]],
  "200 MB of lines": ["sh", ["-c", "yes 'step 1000: loss 0.1234, 12.5 examples a second' | head -c 200000000"]],
  ...(python ? { "python with libraries": ["python3", ["-c", "import ctypes, decimal, ssl, sqlite3, time; time.sleep(2)"]] } : {}),
};

const bareNode = Array.from({ length: rounds }, () => cost(process.execPath, ["-e", "0"]));
const start = { wall: median(bareNode.map(({ wall }) => wall)), processor: median(bareNode.map(({ processor }) => processor)) };
console.log(`node -e 0${" ".repeat(25)} ${milliseconds(start.wall)} wall, ${milliseconds(start.processor)} processor`);
for (const [name, [command, args]] of Object.entries(commands)) {
  const [bare, watched] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    bare.push(cost(command, args));
    watched.push(cost(process.execPath, [cli, "run", "--", command, ...args]));
  }
  const over = (key) => median(watched.map((each) => each[key])) - median(bare.map((each) => each[key])) - start[key];
  console.log(
    `${name.padEnd(34)} ${milliseconds(over("wall"))} wall, ${milliseconds(over("processor"))} processor, over node and the bare command`,
  );
}
