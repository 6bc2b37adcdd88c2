// https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/
import type { Alternative, Declaration } from "../../model/dependency-file.ts";
import type { Conditions } from "../conditions.ts";
import { containerSteps, type Container, type Tell } from "../container.ts";
import { defineFormat, endsWith } from "../format.ts";
import { entry, itemsOf, placesIn, readYamlNodes, textOf, type Places, type YamlNode } from "../yaml-nodes.ts";

export default defineFormat({
  id: "kubernetes",
  words: "a Kubernetes manifest",
  place: 18,
  signs: [
    {
      by: "text and ending",
      after: ["workflow"],
      is: ({ name, text }) =>
        endsWith(".yml", ".yaml")(name) &&
        /^apiVersion\s*:/m.test(text) &&
        /^kind\s*:/m.test(text) &&
        /^[ \t-]*(?:initContainers|containers)\s*:/m.test(text),
    },
  ],
  read: readKubernetes,
  example: {
    file: "pod.yaml",
    text: 'apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - name: a\n      image: python:3.11\n      command: ["pip", "install", "torch==2.4.1"]\n',
  },
});

/** What Helm and its like put in; `{{` in a script of somebody may be anything. */
const template =
  /\{\{-?\s*(?:[.$]|\/\*|(?:if|else|end|range|with|include|template|define|block|tpl|toYaml|default|required|quote|printf|lookup)\b)/;

/** Every container is an image of its own. */
function readKubernetes(whole: string, file: string, conditions: Conditions): Declaration {
  const text = whole.replace(/^\ufeff/, "");
  const places = placesIn(text, file);
  const found = template.exec(text);
  if (found) {
    const { line, column } = places.at(found.index);
    throw new Error(`line ${line}, column ${column} is a template: render it first, as with \`helm template\``);
  }
  const declaration: Declaration = { format: "kubernetes", file, steps: [], unknown: [] };
  const tell: Tell = ({ line, column }, reason) =>
    declaration.unknown.push({ subject: `${file}:${line}${column === undefined ? "" : `:${column}`}`, reason });
  const alternatives: Alternative[] = [];
  for (const { kind, name, spec } of podsIn(readYamlNodes(text))) {
    const products = productsOf(spec, places);
    for (const list of ["initContainers", "containers"])
      for (const container of itemsOf(entry(spec, list))) {
        const own = textOf(entry(container, "name"))?.text ?? "";
        const steps = containerSteps(containerOf(container, places, products), places, { tell, conditions });
        alternatives.push({ name: `container ${own}${name === undefined ? "" : ` of ${kind} ${name}`}`, steps });
      }
  }
  const isTelling = ({ steps }: Alternative) => steps.some(({ kind }) => kind === "install" || kind === "gpu");
  const sorted = [...alternatives.filter(isTelling), ...alternatives.filter((each) => !isTelling(each))];
  return { ...declaration, steps: sorted[0]?.steps ?? [], alternatives: sorted };
}

interface Pod {
  kind: string;
  name?: string;
  /** What has the containers. */
  spec: YamlNode;
}

/** Whatever holds a list of containers, however deep: a Pod, the template of a Deployment or a CronJob, a job of Kubeflow. */
function podsIn(documents: YamlNode[]): Pod[] {
  const pods: Pod[] = [];
  let patience = 200_000;
  const look = (node: YamlNode, above: { kind: string; name?: string }): void => {
    patience -= 1;
    if (patience < 0) throw new Error("it holds more than any manifest does");
    if (node.kind === "list") for (const item of node.items) look(item, above);
    if (node.kind !== "map") return;
    const kind = textOf(node.entries.get("kind"))?.text;
    const name = textOf(entry(node.entries.get("metadata"), "name"))?.text;
    const own = kind === undefined ? above : { kind, ...(name === undefined ? {} : { name }) };
    if (itemsOf(node.entries.get("containers")).length + itemsOf(node.entries.get("initContainers")).length === 0)
      for (const inner of node.entries.values()) look(inner, own);
    else pods.push({ ...own, spec: node });
  };
  for (const document of documents) look(document, { kind: "manifest" });
  return pods;
}

function containerOf(container: YamlNode, places: Places, products: Container["gpus"]): Container {
  const image = textOf(entry(container, "image"));
  const resources = entry(container, "resources");
  const asked = ["limits", "requests"].flatMap((name) => {
    const map = entry(resources, name);
    return map?.kind === "map"
      ? [...map.keys].filter(([key]) => /^nvidia\.com\/(?:gpu|mig-)/.test(key) && textOf(map.entries.get(key))?.text !== "0")
      : [];
  });
  const gpus = asked.slice(0, 1).map(([key, at]) => ({ place: places.at(at, key.length) }));
  return {
    ...(image ? { image } : {}),
    environment: itemsOf(entry(container, "env")).flatMap((each) => {
      const [name, value] = [textOf(entry(each, "name")), entry(each, "value")];
      return name
        ? [{ name: name.text, ...(value?.kind === "text" ? { value: value.text } : {}), place: places.at(name.start, name.text.length) }]
        : [];
    }),
    command: [...itemsOf(entry(container, "command")), ...itemsOf(entry(container, "args"))].flatMap((each) => textOf(each) ?? []),
    gpus: gpus.length === 0 ? [] : [...gpus, ...products],
    candidates: (path) => {
      const bare = path.replace(/^\/+/, "");
      return [...new Set([bare, bare.slice(bare.lastIndexOf("/") + 1)].flatMap((each) => [each, `../${each}`]))];
    },
  };
}

/** Labels of nodes that name the GPU in them, of NVIDIA's discovery and of clouds. */
const productLabels =
  /^(?:nvidia\.com\/gpu\.product|cloud\.google\.com\/gke-accelerator|karpenter\.k8s\.aws\/instance-gpu-name|gpu\.nvidia\.com\/(?:class|model))$/;

function productsOf(spec: YamlNode, places: Places): Container["gpus"] {
  const selector = entry(spec, "nodeSelector");
  const selected =
    selector?.kind === "map" ? [...selector.entries].flatMap(([key, value]) => (productLabels.test(key) ? (textOf(value) ?? []) : [])) : [];
  const required = entry(entry(entry(spec, "affinity"), "nodeAffinity"), "requiredDuringSchedulingIgnoredDuringExecution");
  const listed = itemsOf(entry(required, "nodeSelectorTerms")).flatMap((term) =>
    itemsOf(entry(term, "matchExpressions")).flatMap((expression) => {
      const isIt = productLabels.test(textOf(entry(expression, "key"))?.text ?? "") && textOf(entry(expression, "operator"))?.text === "In";
      return isIt ? itemsOf(entry(expression, "values")).flatMap((each) => textOf(each) ?? []) : [];
    }),
  );
  return [...selected, ...listed].map((node) => ({
    product: node.text.replace(/-SHARED$|-MIG-.*$/i, ""),
    place: places.at(node.start, node.text.length),
  }));
}
