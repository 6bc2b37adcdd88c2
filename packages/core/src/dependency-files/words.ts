import type { Installed } from "./install.ts";
import { placeWords } from "../lib/place.ts";
import { frameworkNamed } from "../model/frameworks.ts";

/** `torch 2.4.1+cu121`, `torch (any version)`. */
export const fullName = ({ name, version, variant }: Installed): string =>
  `${name}${version === undefined ? "" : ` ${version}`}${variant === undefined || version === undefined ? "" : `+${variant}`}`;

/** `` `torch==2.4.1` at requirements.txt:3 ``; what was there before is `torch 2.4.1 of Colab 2024-10-21`. */
export const writtenAt = (installed: Installed): string => {
  const { asked, place, step } = installed;
  if (step === 0) return `${fullName(installed)} of ${place.file.startsWith("Colab ") ? place.file : `the image at ${placeWords(place)}`}`;
  return asked ? `\`${asked.text}\` at ${placeWords(place)}` : `${fullName(installed)} of the installation at ${placeWords(place)}`;
};

/** The framework that a package is, as `culprit loads` names it; undefined for all others. */
export const frameworkOf = (name: string): string | undefined => frameworkNamed(name)?.id;
