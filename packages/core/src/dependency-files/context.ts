import type { Declaration } from "../model/dependency-file.ts";
import type { Gpu } from "../model/knowledge.ts";
import type { BaseImage } from "./images.ts";
import type { Base, Installation } from "./install.ts";
import type { Recorded } from "./recorded.ts";

/** What a file is judged upon: what is there before it, and the machine. */
export interface BaseSystem {
  base: Base;
  image?: BaseImage;
  /** Names what was there before: `Colab of 2024-10-21`. */
  baseName?: string;
  /** Debian packages that are there, where they are known by name: on Colab. */
  systemPackages?: string[];
  /** What a notebook printed when it was last run. */
  recorded?: Recorded;
  driver?: string;
  gpus: { name: string; sm: string; kind?: Gpu["kind"] }[];
  /** GPUs beside an arm64 processor, for which nothing here is known. */
  jetsons?: string[];
  /** A driver or a GPU was named by who asks. */
  isAsked: boolean;
}

/** What rules look at: what is written, and what would be there after it. */
export interface InstallContext extends Omit<BaseSystem, "base"> {
  declaration: Declaration;
  installation: Installation;
  /** What was there before, as on Colab. */
  before?: Installation;
}
