// NVIDIA_REQUIRE_CUDA, as libnvidia-container reads it (src/cli/dsl.c): a space means or, a comma means and.
import { compareDotted } from "./dotted.ts";
import type { Gpu } from "../model/knowledge.ts";
import { toolkitOf } from "./toolkits.ts";

export interface RequirementFacts {
  driver: string;
  /** The newest CUDA that the driver has every feature of. */
  cuda?: string;
  /** Of the first GPU: its compute capability, as `9.0`, and whom it is made for. Without a GPU both are taken for met. */
  gpu?: { arch?: string; kind?: Gpu["kind"] };
}

/** Whether a driver and a GPU meet what an image requires; undefined where that cannot be told. */
export function meets(requirement: string, facts: RequirementFacts): boolean | undefined {
  const alternatives = partsOf(requirement, " ");
  if (alternatives.length === 0) return true;
  return oneOf(alternatives.map((alternative) => allOf(partsOf(alternative, ",").map((term) => holds(term, facts)))));
}

/** The first thing that an image asks for and that a driver does not meet, and what CUDA that driver is of the time of. */
export function unmetRequirement(
  requirement: string,
  driver: string,
  gpu: { sm: string; kind?: Gpu["kind"] } | undefined,
): { first: string; cuda?: string } | undefined {
  const cuda = toolkitOf({ driver })?.newest.cuda;
  const arch = gpu?.sm.replace(/^sm_(\d+)(\d)$/, "$1.$2");
  const facts = {
    driver,
    ...(cuda === undefined ? {} : { cuda }),
    ...(gpu ? { gpu: { ...(arch === undefined ? {} : { arch }), ...(gpu.kind === undefined ? {} : { kind: gpu.kind }) } } : {}),
  };
  if (meets(requirement, facts) !== false) return undefined;
  return { first: partsOf(requirement, " ")[0]!, ...(cuda === undefined ? {} : { cuda }) };
}

type Answer = boolean | undefined;
const partsOf = (text: string, separator: string) => text.split(separator).filter((part) => part !== "");
const allOf = (answers: Answer[]): Answer =>
  answers.some((each) => each === false) ? false : answers.every((each) => each === true) || undefined;
const oneOf = (answers: Answer[]): Answer =>
  answers.some((each) => each === true) ? true : answers.every((each) => each === false) ? false : undefined;

/** NVML's names of brands, by whom a GPU is made for. Those for data centres were `Tesla` up to about 2020, and are `NVIDIA` since. */
const brands: { [Kind in Gpu["kind"]]: string[] } = {
  datacenter: ["tesla", "nvidia"],
  consumer: ["geforce", "titan"],
  workstation: ["quadro", "quadrortx", "nvidiartx", "nvs", "titan"],
  jetson: [],
};

function holds(term: string, { driver, cuda, gpu }: RequirementFacts): Answer {
  const [, name, operator, value] = /^([^<>=!]+)(<=|>=|!=|<|>|=)([^<>=!].*)$/.exec(term) ?? [];
  const compared = { cuda, driver, arch: gpu ? gpu.arch : value }[name?.toLowerCase() ?? ""];
  if (name?.toLowerCase() === "brand") {
    if (!gpu) return true;
    const isOne = gpu.kind === undefined || gpu.kind === "jetson" ? undefined : brands[gpu.kind].includes(value!.toLowerCase());
    return isOne === undefined ? undefined : operator === "=" ? isOne : operator === "!=" ? !isOne : undefined;
  }
  if (compared === undefined || !/^[\d.]+$/.test(value!)) return undefined;
  const order = compareDotted(compared, value!);
  switch (operator) {
    case "=":
      return order === 0;
    case "!=":
      return order !== 0;
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return 0 < order;
    default:
      return 0 <= order;
  }
}
