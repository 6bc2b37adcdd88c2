// What the search box looks into: every word with the pages that it stands on, and how much it weighs there.
import { wordsOf } from "./words.mjs";

const weights = { title: 12, headingWords: 4, lead: 3, text: 1 };
/** The more often a word stands on a page, the less each time counts. */
const mostTimes = 4;

/** @param {{ title: string, path: string, kind: string, lead: string, headingWords: string, text: string }[]} pages */
export function searchIndex(pages) {
  const found = new Map();
  for (const [number, page] of pages.entries()) {
    const counted = new Map();
    for (const [part, weight] of Object.entries(weights)) {
      const times = new Map();
      for (const word of wordsOf(page[part])) times.set(word, Math.min(mostTimes, (times.get(word) ?? 0) + 1));
      for (const [word, count] of times) counted.set(word, (counted.get(word) ?? 0) + weight * (1 + Math.log2(count)));
    }
    for (const [word, weight] of counted) {
      const places = found.get(word) ?? [];
      found.set(word, places);
      places.push(number, Math.round(weight));
    }
  }
  const words = [...found.keys()].sort();
  return {
    pages: pages.map(({ title, path, kind, lead }) => [title, path, kind, shortened(lead)]),
    words: words.join(" "),
    places: words.map((word) => found.get(word).join(" ")).join(","),
  };
}

const shortened = (text) => (text.length <= 160 ? text : `${text.slice(0, text.lastIndexOf(" ", 160))} …`);
