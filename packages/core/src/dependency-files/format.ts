import type { Conditions } from "./conditions.ts";
import type { Declaration, DependencyFileFormat, ImageBuild } from "../model/dependency-file.ts";

/** A dependency file that was named: what a format is recognised by. */
export interface NamedFile {
  /** Without its folders, in small letters. */
  name: string;
  text: string;
  /** The beginning of the text. */
  head: string;
}

/**
 * By what a format is recognised, weaker signs later: a name that is its own, a name that says it in part, a line that no other file has,
 * what stands in files with an ending that several share, the ending, and at last the text of a file whatever its name. Of one strength,
 * what fits fewer files comes first; where two formats could still take a file, `after` says who yields.
 */
export const strengths = ["name", "part of the name", "line", "text and ending", "ending", "text"] as const;

export interface Sign {
  by: (typeof strengths)[number];
  /** Formats that are asked first among signs of this strength: they are told from this one by less, or look for more. */
  after?: DependencyFileFormat[];
  is: (file: NamedFile) => boolean;
}

/** One kind of file that says what will be installed. One file each in `formats/`, called like it. */
export interface Format {
  id: DependencyFileFormat;
  /** What people call it, and where it stands in lists for them. */
  words: string;
  place: number;
  signs: Sign[];
  /** What is no TOML, YAML or JSON is thrown, as one sentence. `conditions` decide what scripts leave open; `build` is how an image is made from it, `beside` what it names. */
  read: (text: string, file: string, conditions: Conditions, build?: ImageBuild, beside?: ReadonlyMap<string, string>) => Declaration;
  /** Files that it takes more from, as paths from where it is started: they are read first, and handed to it. */
  names?: (text: string, file: string) => string[];
  /** The smallest file that asks for something. */
  example: { file: string; text: string };
}

export const defineFormat = (format: Format) => format;

export const endsWith =
  (...endings: string[]) =>
  (name: string) =>
    endings.some((ending) => name.endsWith(ending));

/** Endings of files that are for something else mostly: only what stands in them tells. */
export const isShared = endsWith(".json", ".yml", ".yaml", ".toml", ".lock");
