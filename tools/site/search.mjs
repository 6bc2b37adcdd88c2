// The search itself: pure, so that a test can ask what the box would show.
import { wordsOf } from "./words.mjs";

const mostShown = 8;
/** Whoever has a symptom wants its page first. */
const kinds = { symptom: 1.6, page: 1.2, guide: 1.2, rule: 1.1, command: 1.1 };

/** The index as it is asked. */
export const opened = ({ pages, words, places }) => ({ pages, words: words.split(" "), places: places.split(",") });

/** Words as they are typed: the beginning of a word is enough. */
export function search({ pages, words, places }, text) {
  const asked = [...new Set(wordsOf(text))].slice(0, 60);
  const scores = new Map();
  for (const [number, word] of asked.entries()) {
    const isLast = number === asked.length - 1;
    const best = new Map();
    for (let at = firstFrom(words, word); at < words.length && words[at].startsWith(word); at += 1) {
      const isWhole = words[at] === word;
      if (!isWhole && !(isLast || 3 < word.length)) continue;
      const found = places[at].split(" ").map(Number);
      const rare = Math.log(1 + pages.length / (found.length / 2));
      for (let each = 0; each < found.length; each += 2) {
        const score = found[each + 1] * rare * (isWhole ? 1 : 0.4);
        best.set(found[each], Math.max(best.get(found[each]) ?? 0, score));
      }
    }
    for (const [page, score] of best) {
      const sum = scores.get(page) ?? { score: 0, met: 0 };
      scores.set(page, { score: sum.score + score, met: sum.met + 1 });
    }
  }
  return [...scores]
    .map(([page, { score, met }]) => ({ page: pages[page], score: score * (met / asked.length) ** 2 * (kinds[pages[page][2]] ?? 0.8) }))
    .sort((one, other) => other.score - one.score)
    .slice(0, mostShown)
    .map(({ page }) => page);
}

function firstFrom(words, word) {
  let low = 0;
  let high = words.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (words[middle] < word) low = middle + 1;
    else high = middle;
  }
  return low;
}
