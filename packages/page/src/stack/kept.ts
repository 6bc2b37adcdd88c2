// Experiments that were given a name, beside each other.
import { button, element } from "../dom.ts";
import { wordsOf, type Experiment, type Named } from "./experiment.ts";
import type { Answer } from "./messages.ts";

export interface Kept extends Named {
  answer: Answer;
}

interface Acts {
  show: (experiment: Experiment) => void;
  forget: (kept: Kept) => void;
}

export function keptTable(kept: Kept[], base: Answer, { show, forget }: Acts): Node[] {
  if (kept.length === 0) return [];
  const counted = ({ findings }: Answer, severity: string) => String(findings.filter((each) => each.severity === severity).length);
  const row = (name: string, answer: Answer, words: string, ...buttons: Node[]) =>
    element(
      "tr",
      {},
      element("th", { scope: "row", title: words }, name),
      element("td", { "data-label": "errors" }, counted(answer, "error")),
      element("td", { "data-label": "warnings" }, counted(answer, "warning")),
      element("td", {}, ...buttons),
    );
  return [
    element("h3", {}, "Experiments"),
    element(
      "table",
      { class: "kept" },
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          ...["experiment", "errors", "warnings"].map((words) => element("th", { scope: "col" }, words)),
          element("td", {}),
        ),
      ),
      element(
        "tbody",
        {},
        row("as it is", base, "as it is"),
        ...kept.map((each) =>
          row(
            each.name,
            each.answer,
            wordsOf(each.experiment),
            button("Show", `Show ${each.name}`, () => show(each.experiment)),
            button("✕", `Forget ${each.name}`, () => forget(each)),
          ),
        ),
      ),
    ),
  ];
}
