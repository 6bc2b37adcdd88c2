// What a text says, for a page: the same answer as for a terminal, as cards.
import type { Diagnosis, Explanation, LogLine } from "../model/explain.ts";
import { html, prose, type Content, type Html } from "./html.ts";
import { readWords } from "./explain.ts";
import { count } from "./style.ts";

export interface Pieces {
  verdict: string;
  answer: string;
}

export function explanationPieces(explanation: Explanation): Pieces {
  const { mark, look, words } = verdictOf(explanation);
  const head = html`<p class="verdict"><span class="${look}">${mark} ${prose(words)}</span></p>
    <p class="faint">${count(explanation.lines, "line")} read${knownOf(explanation)}</p>`;
  return { verdict: head.markup, answer: sections(explanation).markup };
}

function knownOf(explanation: Explanation): string {
  const read = readWords(explanation);
  return read.length === 0 ? "" : `: ${read.slice(0, 12).join(", ")}`;
}

/** What came of it, with its sign: green only where nobody was harmed. */
function verdictOf({ diagnoses, plain, unexplained, lines }: Explanation): { mark: string; look: string; words: string } {
  const [first] = diagnoses;
  if (!first)
    return plain
      ? { mark: "•", look: "warning", words: `an error of the program, and not of a GPU stack: ${plain.what}` }
      : {
          mark: "?",
          look: "warning",
          words: lines === 0 ? "The input is empty" : "Nothing in the text says what is wrong with a GPU stack",
        };
  const open = openWith(diagnoses, first);
  if (1 < open.length) return { mark: "?", look: "warning", words: `${first.symptom}; ${open.length} causes fit` };
  if (first.cause === "benign-warning")
    return unexplained ? { mark: "•", look: "warning", words: first.message } : { mark: "✓", look: "good", words: first.message };
  if (first.cause === "not-a-mismatch") return { mark: "•", look: "warning", words: `not a version problem: ${first.message}` };
  return { mark: "✗", look: "error", words: first.message };
}

const openWith = (diagnoses: Diagnosis[], first: Diagnosis): Diagnosis[] =>
  first.symptom === undefined ? [first] : diagnoses.filter(({ symptom }) => symptom === first.symptom);

function sections(explanation: Explanation): Html {
  const { diagnoses, noise, warnings, next, question, unexplained, plain, alike } = explanation;
  const [first] = diagnoses;
  const open = first ? openWith(diagnoses, first) : [];
  const others = diagnoses.filter((each) => !open.includes(each));
  return html`<section aria-labelledby="causes">
      <h2 id="causes">${open.length === 1 ? "The cause" : "What it may be"}</h2>
      ${!first && plain && line(plain)}
      ${
        alike &&
        html`${line(alike)}
          <p>The nearest known message: <code>${alike.known}</code></p>`
      }
      ${open.map((each) => card(each, first!.certainty))}
      ${question !== undefined && html`<p><strong>What would decide it</strong>: ${prose(question)}</p>`}
      ${!first && 0 < next.length && list(next.map(prose))}
      ${
        unexplained &&
        first &&
        /benign|not-a-mismatch/.test(first.cause) &&
        html`<p>What ended the program is not known here:</p>
          ${line(unexplained)}`
      }
    </section>
    ${part("also", others.length === 0 ? "" : "The text cannot rule out", list(others.map(({ cause, name, message }) => html`${prose(message)} <span class="faint">(${name !== undefined && `${name}: `}<code>${cause}</code>)</span>`)))}
    ${part("harm", warnings.length === 0 ? "" : "Steps in the text that do harm, or do not help", list(warnings.map((each) => html`${line(each)}${prose(each.message)}`)))}
    ${part("noise", noise.length === 0 ? "" : "Only noise", list(noise.map(({ line: at, reason }) => html`line ${at}: ${prose(reason)}`)))}`;
}

const part = (id: string, title: string, content: Content): Html | false =>
  title !== "" &&
  html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${content}
  </section>`;

const list = (items: Content[]): Html =>
  html`<ul>
    ${items.map((item) => html`<li>${item}</li>`)}
  </ul>`;

const line = ({ line: at, text }: LogLine): Html =>
  html`<p class="said"><span class="faint">${at === 0 ? "given" : `line ${at}`}</span> <code>${text}</code></p>`;

/** Who shares its certainty with the first needs no word about it. */
function card(
  { cause, certainty, message, required, found, because, evidence, machine = [], fixes, next }: Diagnosis,
  first: string,
): Html {
  const look = cause === "benign-warning" ? "info" : certainty === "possible" || first === "possible" ? "warning" : "error";
  const rows = (label: string, texts: Content[]) =>
    0 < texts.length &&
    html`<dt>${label}</dt>
      ${texts.map((text) => html`<dd>${text}</dd>`)}`;
  return html`<article class="${look}">
    <h3><span class="badge ${look}">${certainty}</span> ${prose(message)}</h3>
    <dl>
      ${[
        rows(
          "what to do",
          fixes.map(
            ({ fix, title = fix, commands }) => html`${prose(title)}${commands.map((each) => html`<code class="command">${each}</code>`)}`,
          ),
        ),
        rows("required", required === undefined ? [] : [required]),
        rows("found", found === undefined ? [] : [found]),
        rows("because", because.map(prose)),
        rows("said", evidence.map(line)),
        rows("on the machine", machine.map(prose)),
        rows("to be sure", certainty === "certain" ? [] : next.map((line) => html`<code class="command">${line}</code>`)),
        rows("cause", [html`<code>${cause}</code>`]),
      ]}
    </dl>
  </article>`;
}

/** One sentence that says why there is no answer. */
export const problemPieces = (problem: string): Pieces => ({
  verdict: html`<p class="verdict"><span class="warning">! It could not be read</span></p>`.markup,
  answer: html`<p>${prose(problem)}</p>`.markup,
});
