// Asks every source, and says in words what changed; a source that cannot be reached or answers with something else changes nothing.
import { builds } from "./builds.mjs";
import { colab } from "./colab.mjs";
import { cudnn } from "./cudnn.mjs";
import { defects } from "./defects.mjs";
import { Unreachable, Unreadable } from "./get.mjs";
import { toolkits } from "./toolkits.mjs";

export const sources = [toolkits, cudnn, builds, colab, defects];

/**
 * @param read a file of knowledge by its subject: a copy, which may be changed
 * @returns files to be written, by subject; changes, and what is left to a person, in words; sources that told nothing, each with why
 */
export async function refreshed({ get, read, today, only = sources.map(({ id }) => id) }) {
  const files = {};
  const changes = [];
  const persons = [];
  const silent = [];
  // What one source changed, the next one must see.
  const readNow = (subject) => structuredClone(files[subject] ?? read(subject));
  for (const source of sources.filter(({ id }) => only.includes(id))) {
    try {
      const told = await source.refresh({ get, read: readNow, today });
      Object.assign(files, told.files);
      changes.push(...told.changes);
      persons.push(...told.persons);
    } catch (error) {
      if (error instanceof Unreachable) silent.push(`${source.words}: ${error.message} cannot be reached`);
      else if (error instanceof Unreadable) silent.push(`${source.words}: ${error.message}`);
      else throw error;
    }
  }
  return { files, changes, persons, silent };
}

/** What was done, as Markdown: the body of a pull request. */
export function inWords({ changes, persons, silent, day }) {
  const list = (title, items) => (items.length === 0 ? [] : [`## ${title}`, "", ...items.map((item) => `- ${item}`), ""]);
  return [
    changes.length === 0 ? `Nothing new on ${day}.` : `Knowledge of ${day}.`,
    "",
    ...list("What changed", changes),
    ...list("What needs a person", persons),
    ...list("What could not be asked (rows as they were)", silent),
  ].join("\n");
}
