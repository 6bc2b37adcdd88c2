// What is to be said beside those who differ from their group: where all differ from all, nobody is told apart, which is not the same as being alike.
import type { Likeness } from "../store/questions.ts";

export function likenessNotes(groups: Likeness[], amountOfDifferences: number): string[] {
  const several = groups.filter(({ machines }) => 1 < machines);
  if (several.length === 0) return ["No group has two machines to compare: `culprit push --group NAME` says which belong together."];
  const unlike = several.filter(({ machines, stacks }) => machines === stacks);
  if (unlike.length === 0) return amountOfDifferences === 0 ? ["Every machine has what most of its group have."] : [];
  return unlike.map(
    ({ group, machines }) =>
      `No two of the ${machines.toLocaleString("en")} machines ${group === "" ? "without a group" : `in ${group}`} are alike: there is nothing that most of them have.`,
  );
}
