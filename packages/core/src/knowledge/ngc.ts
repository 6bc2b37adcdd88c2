import type { NgcConstraint, NgcImage } from "../model/knowledge.ts";
import { compareDotted } from "./dotted.ts";
import { ngcImages } from "./texts/ngc-images.generated.ts";

/** What an image of nvcr.io/nvidia has, where that was found; `release` and `flavour` as its tag says. */
export const ngcImage = (image: string, release: string, flavour: string | undefined): NgcImage | undefined =>
  ngcImages().containers.find((row) => row.image === image && row.release === release && row.flavour === flavour);

/** The file by which pip keeps the packages of an image. */
export const ngcConstraint = (image: string, release: string): NgcConstraint | undefined =>
  ngcImages().constraints.find((row) => row.image === image && compareDotted(row.since, release) <= 0);

/** Where a row comes from, as text. */
export const ngcSources = ({ source }: NgcImage | NgcConstraint): string[] => [source].flat().map((key) => ngcImages().sources[key] ?? key);

/** Whether NVIDIA names the branch of an older driver as one that the compat libraries for this CUDA take on GPUs of data centres. */
export const compatTakes = (cuda: string, driver: string): boolean =>
  ngcImages().compat.some((row) => row.cuda === cuda.split(".")[0] && row.branches.includes(driver.split(".")[0]!));
