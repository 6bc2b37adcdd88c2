// From its own file: a word is looked at before the library is loaded.
import { frameworkNames } from "@culprit/core/model/framework-names.generated";

/** `torch`, or `torch:device`: what is done with it. */
export const isFrameworkWord = (word: string): boolean => frameworkNames.some(({ id }) => id === word.split(":")[0]);
