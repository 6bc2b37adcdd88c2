import { withoutSecrets } from "./secrets.ts";
import { mapTexts, visible } from "./visible.ts";

/**
 * A report to which texts from elsewhere are nothing but text: they hold no secrets, steer nothing, and none of them begins a line of its
 * own. Whoever writes the report need not think of it.
 */
export const reporting =
  <Given extends unknown[]>(write: (...given: Given) => string) =>
  (...given: Given): string =>
    write(...(given.map((each) => mapTexts(each, shown)) as Given));

/** A text from elsewhere, as it is shown. */
export const shown = (text: string): string => visible(withoutSecrets(text));
