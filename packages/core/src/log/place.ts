import type { Context } from "./context.ts";
import type { Facts } from "./fact.ts";
import { cluster } from "./places/cluster.ts";
import { compose } from "./places/compose.ts";
import { conda } from "./places/conda.ts";
import { hosted } from "./places/hosted.ts";
import { jetson } from "./places/jetson.ts";
import { managed, type Manager } from "./places/managed.ts";
import { kubernetes } from "./places/kubernetes.ts";
import type { Place } from "./places/place.ts";
import { redhat, withoutApt } from "./places/redhat.ts";
import { windows } from "./places/windows.ts";
import { wsl } from "./places/wsl.ts";

/** Where a text comes from, in all that it says of it: a pod on a cluster, a conda environment under WSL. */
export function placed(facts: Facts, context: Context): Place & { sentence(text: string): string } {
  const place = placesOf(facts, context).reduce(both, anywhere);
  return { ...place, sentence: (text) => withCommandsOf(text, place) };
}

function placesOf(facts: Facts, context: Context): Place[] {
  if (facts.on("colab") || facts.on("kaggle")) return [hosted(facts.on("colab") ? "Colab" : "Kaggle", context.speaker)];
  const container = facts.on("container");
  const { containers } = context;
  const scheduler = 0 < facts.notices("scheduler").length;
  // Singularity is there for those who are not root.
  const shared = containers === "singularity" || ((scheduler || 0 < facts.notices("hpc-cluster").length) && !container);
  return [
    ...(facts.on("wsl2") ? [wsl(facts)] : facts.on("windows") ? [windows(facts, context)] : []),
    ...(facts.on("jetson") ? [jetson(context, container)] : []),
    ...(shared ? [cluster(scheduler && !container)] : []),
    ...(containers === "kubernetes" ? [kubernetes] : []),
    ...(containers === "docker" && 0 < facts.notices("compose-here").length ? [compose] : []),
    ...(isOfConda(facts, context) ? [conda] : []),
    ...managers(facts).map(managed),
    ...(context.linux?.family === "redhat" ? [redhat] : context.linux?.family === "arch" ? [withoutApt] : []),
  ];
}

/** The one manager of which the text speaks; who names two has not said which one keeps his packages. */
function managers(facts: Facts): Manager[] {
  const named = [...new Set(facts.notices("managed-by").map(({ subject }) => subject as Manager))];
  const [first, ...others] = named.length === 2 && named.includes("uv") ? named.filter((each) => each !== "uv pip") : named;
  return first === undefined || 0 < others.length ? [] : [first];
}

const anywhere: Place = { line: (command) => [command], fix: (one) => [one], first: () => [] };

const both = (outer: Place, inner: Place): Place => ({
  line: (command) => outer.line(command).flatMap(inner.line),
  fix: (one, of) => outer.fix(one, of).flatMap((each) => inner.fix(each, of)),
  first: (of) => [...outer.first(of), ...inner.first(of)],
});

/** Whether the framework of the text itself came from conda, and not from pip into an environment of conda's. */
function isOfConda(facts: Facts, { speaker }: Context): boolean {
  if (speaker === undefined) return false;
  const name = speaker === "torch" ? "(?:py)?torch" : speaker;
  const own = new RegExp(`(?:^|[ /:])${name}(?:lib|-gpu)?(?:$|[ =<>"'])`);
  const told = new RegExp(`${name}\\b[^\\n.;]{0,40}\\b(?:from|via|with|through|by) (?:the )?(?:conda(?:-forge)?|mamba)\\b`, "i");
  return (
    facts.all("package").some((fact) => fact.manager === "conda" && own.test(fact.name) && fact.build !== "pypi_0") ||
    facts.notices("conda-command").some(({ subject }) => own.test(subject!)) ||
    facts.everything().some(({ at }) => told.test(at.text))
  );
}

// "Which packages are installed? (`pip list`)": a command in a sentence is one like any other.
function withCommandsOf(text: string, { line }: Place): string {
  return text
    .replace(/ \(`([^`]+)`\)/g, (_, command: string) =>
      line(command)
        .map((each) => ` (\`${each}\`)`)
        .join(""),
    )
    .replace(/`(nvidia-smi)`/g, (whole, command: string) => line(command).map((each) => `\`${each}\``)[0] ?? whole);
}
