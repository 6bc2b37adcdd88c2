import { once } from "../lib/memo.ts";
import { lightPackages } from "./texts/light-packages.generated.ts";

const asked = once(() => new Map(lightPackages().lists.flatMap(({ asks, names }) => names.map((name) => [name, asks] as const))));

/** What a package asks for that takes any release of it, and brings no binaries; undefined for all others. */
export const lightlyAsked = (name: string): string[] | undefined => asked().get(name);
