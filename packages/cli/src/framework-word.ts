// From its own file: a word is looked at before the library is loaded.
import { frameworkNames } from "@culprit/core/model/framework-names.generated";

/** `torch`, or `torch:device`: what is done with it. */
export const isFrameworkWord = (word: string): boolean => frameworkNames.some(({ id }) => id === word.split(":")[0]);

/** What may be the name of a package: no path, no file with an ending, no target (`ssh:HOST`). */
export const isBareWord = (word: string): boolean => isFrameworkWord(word) || /^[A-Za-z][\w-]*$/.test(word);
