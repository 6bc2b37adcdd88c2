import { lawsOfFrameworks } from "./laws/frameworks.ts";
import type { Law } from "./laws/law.ts";
import { lawsOfRows } from "./laws/rows.ts";
import { lawsOfToolkits } from "./laws/toolkits.ts";

/** What must hold for every fact, whoever adds it: the tests hold `knowledge/` to it, and the program what users bring. */
export const laws: Law[] = [...lawsOfRows, ...lawsOfToolkits, ...lawsOfFrameworks];
