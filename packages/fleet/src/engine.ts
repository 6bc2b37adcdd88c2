import { version } from "@culprit/core";
import { builtInDay } from "@culprit/core/knowledge-day.generated";

/** What a verdict rests on: another release, or other knowledge, may say something else. */
export const engine = `${version}, knowledge of ${builtInDay}`;
