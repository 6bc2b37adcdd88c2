// What a container is started with, as docker-compose and Kubernetes write it: image, variables, command, GPUs.
import type { Place } from "../model/finding.ts";
import type { DeclaredStep, Include } from "../model/dependency-file.ts";
import { readCommand, readShell } from "./commands.ts";
import type { Conditions } from "./conditions.ts";
import { readImage } from "./images.ts";
import type { Setting } from "./setting.ts";
import type { Places, YamlText } from "./yaml-nodes.ts";

export interface Container {
  /** The image; where it is built here, the Dockerfile takes its place. */
  image?: YamlText;
  dockerfile?: Include;
  environment: { name: string; value?: string; place: Place }[];
  /** The words that are run: of the entry point, then its arguments. A single text is for a shell. */
  command: YamlText[] | YamlText | undefined;
  gpus: { product?: string; place: Place }[];
  /** Where a file that its commands name may lie. */
  candidates: (path: string) => string[];
}

/** A text with variables put in; undefined parts are not known. */
export type Expand = (text: string) => { text: string; isKnown: boolean };

export type Tell = (place: Place, reason: string) => void;

const asWritten: Expand = (text) => ({ text, isKnown: true });

/** What is told of a container, decided for its scripts, and put in for variables. */
interface Around {
  tell: Tell;
  conditions: Conditions;
  expand?: Expand;
}

export function containerSteps(container: Container, places: Places, around: Around): DeclaredStep[] {
  const { tell, conditions, expand = asWritten } = around;
  const steps: DeclaredStep[] = [];
  const { image, dockerfile, environment, command, gpus } = container;
  if (dockerfile) steps.push({ kind: "file", include: dockerfile, place: dockerfile.place });
  else if (image) {
    const { text: name, isKnown } = expand(image.text);
    const place = places.at(image.start, image.text.length);
    if (isKnown) steps.push({ kind: "image", name, place });
    else tell(place, `which image \`${image.text}\` is depends on a variable`);
  }
  for (const gpu of gpus) steps.push({ kind: "gpu", ...gpu });
  const variables = new Map<string, string>();
  for (const { name, value, place } of environment) {
    const known = value === undefined ? undefined : expand(value);
    const isKnown = known !== undefined && known.isKnown;
    if (isKnown) variables.set(name, known.text);
    steps.push({ kind: "variable", name, ...(isKnown ? { value: known.text } : {}), isLate: false, place });
  }
  const setting = (node: YamlText): Setting => ({
    variables: new Map(variables),
    place: (word) => places.word(node, word),
    candidates: container.candidates,
    isOwnShell: true,
    conditions,
    tell,
  });
  if (command) for (const step of commandSteps(command, setting, expand)) steps.push(step);
  if (image && !dockerfile) tellUnseen(steps, gpus, tell);
  return steps;
}

function commandSteps(command: YamlText[] | YamlText, setting: (node: YamlText) => Setting, expand: Expand): DeclaredStep[] {
  if (!Array.isArray(command)) return readShell(expand(command.text).text, setting(command));
  const [first] = command;
  if (!first) return [];
  const isShell = /(?:^|\/)(?:ba|z|da|k)?sh$/.test(first.text);
  const at = isShell ? command.findIndex(({ text }) => /^-[a-z]*c$/.test(text)) : -1;
  const script = at < 0 ? undefined : command[at + 1];
  if (script) return readShell(expand(script.text).text, setting(script));
  const words = command.map((node) => ({ ...expand(node.text), line: 1, column: 1, node }));
  return readCommand(words, {
    ...setting(first),
    place: (word) => {
      const { node } = words.find((each) => each.text === word.text) ?? words[0]!;
      return setting(node).place({ ...word, line: 1, column: 1 });
    },
  });
}

/** An image for a GPU that nothing is known of, and nothing is installed in it: what runs there is not judged. */
function tellUnseen(steps: DeclaredStep[], gpus: Container["gpus"], tell: Tell): void {
  const image = steps.find((step) => step.kind === "image");
  if (image?.kind !== "image" || gpus.length === 0 || steps.some(({ kind }) => kind === "install")) return;
  if (readImage(image.name, image.place).kind === "other") tell(image.place, `what \`${image.name}\` brings is not known here`);
}
