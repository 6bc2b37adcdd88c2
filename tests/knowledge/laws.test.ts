// What must hold for every fact, whoever adds it. The laws themselves are the program's (packages/core/src/knowledge/laws/): it holds
// what users bring to them, too.
import { readFileSync } from "node:fs";
import { Compile } from "typebox/schema";
import { expect, test } from "vitest";
import { laws } from "../../packages/core/src/knowledge/laws.ts";
import { factsOf, wheelsIn, type KnowledgeFiles } from "../../packages/core/src/knowledge/laws/law.ts";
import { file, names } from "./files.ts";

const files = Object.fromEntries(names.map((name) => [name, file(name)])) as unknown as KnowledgeFiles;
const today = new Date().toISOString().slice(0, 10);

test.each(names)("knowledge/%s.json has the shape of its schema", (name) => {
  const schema = JSON.parse(readFileSync(`schema/knowledge/${name.replace("/", "-")}.schema.json`, "utf8")) as Record<string, unknown>;
  const [, errors] = Compile(schema).Errors(file(name));
  expect(errors).toEqual([]);
});

test.each(laws.map(({ says, broken }) => [says, broken] as const))("%s", (_says, broken) => {
  expect(broken(files, today)).toEqual([]);
});

test("enough is read for the laws to mean something", () => {
  expect(factsOf(files).length).toBeGreaterThan(2000);
  const told = wheelsIn(files).flatMap(({ objects }) => Object.values(objects).filter(({ version }) => version !== undefined));
  expect(told.length).toBeGreaterThan(50);
});

// Every law can be broken: one fact is changed, and the law names it.
type Break = (copy: KnowledgeFiles) => void;
const breaks: { [says: string]: Break } = {
  "every fact says where it comes from and when that was checked": ({ gpus }) => (gpus.gpus[0]!.checked = "yesterday"),
  "every source that a fact names is listed, and every listed source is used": ({ gpus }) => (gpus.gpus[0]!.source = "s0"),
  "sources are public, and none names a machine or a download host": ({ gpus }) => (gpus.sources["s1"] = "a file below /home/someone"),
  "what is only remembered, worked out or corrected is a field of its fact": ({ gpus }) => (gpus.gpus[0]!.inferred = ["weight"]),
  "nothing is null: what is not known is absent, and what there is none of says so": ({ gpus }) => (gpus.gpus[0]!.kind = null as never),
  "no fact is there twice": ({ gpus }) => gpus.gpus.push(gpus.gpus.at(-1)!),
  "lists are in order": ({ gpus }) => gpus.gpus.reverse(),
  "dates are real, in order of versions, and not in the future": ({ gpus }) => (gpus.gpus[0]!.checked = "2099-01-01"),
  "what a wheel proved wrong is no longer said": ({ gpus }) =>
    (gpus.gpus[0]!.corrected = [{ field: "sm", was: gpus.gpus[0]!.sm, evidence: "a list" }]),
  "versions of toolkits and of cuDNN can be read": ({ "cuda-toolkits": file }) => (file.toolkits[0]!.driver = "new"),
  "driver floors rise with CUDA, and no toolkit has a driver below its predecessor's minor": ({ "cuda-toolkits": file }) =>
    (file.driverFloors.at(-1)!.driver = "100.1"),
  "CUPTI's number, PTX and component versions never fall": ({ "cuda-toolkits": file }) => (file.toolkits.at(-1)!.cuptiApi = 1),
  "cuDNN's number is its version": ({ cudnn }) => (cudnn.releases[0]!.number = 1),
  "cuDNN's layouts are known, and its toolkits are of its CUDA majors": ({ cudnn }) => (cudnn.releases[0]!.layout = "heap"),
  "every soname belongs to a known library": ({ packages }) => packages.packages[0]!.provides.push("libnothing.so.1"),
  "the sonames of a toolkit are those of its minor": ({ "cuda-toolkits": file }) =>
    (file.toolkits.find(({ cudartSoname }) => cudartSoname)!.cudartSoname = "libcudart.so.99"),
  "what a wheel brings goes by the names of its files": ({ packages }) =>
    (packages.packages.find(({ name }) => name === "nvidia-cuda-nvcc-cu12")!.provides = ["libnvvm.so.4"]),
  "toolkits build exactly for the architectures of their time": ({ "cuda-toolkits": file }) =>
    (file.toolkits[0]!.architectures = ["sm_120"]),
  "every GPU has an architecture that some toolkit builds for": ({ gpus }) => (gpus.gpus[0]!.sm = "sm_1"),
  "no PCI device belongs to two chips": ({ gpus }) => gpus.chips[0]!.ids.push(gpus.chips[1]!.ids[0]!),
  "the architectures of every build and every wheel are known": ({ "frameworks/torch": file }) =>
    (file.releases.at(-1)!.architectures = ["sm_999"]),
  "versions of frameworks and wheels can be read": ({ "frameworks/torch": file }) => (file.releases.at(-1)!.cudnn = "latest"),
  "every pin names a known package, with a specifier that can be met": ({ "frameworks/torch": file }) =>
    (file.releases.at(-1)!.pins = { "nvidia-nothing": "==1" }),
  "a release pins the cuDNN and NCCL that it says it was built with": ({ "frameworks/torch": file }) =>
    (file.releases.at(-1)!.variant = "cu99"),
  "one variant of a release is the default, at most": ({ "frameworks/torch": file }) => {
    for (const row of file.releases) row.default = true;
  },
  "a wheel is of its release, and its file is named after it": ({ "frameworks/torch": file }) =>
    (file.releases.find(({ wheels }) => wheels?.length)!.wheels![0]!.wheel = "torch.whl"),
  "the version that a main object's code tells is its package's": ({ wheels }) => {
    for (const object of wheels.wheels.flatMap(({ objects }) => Object.values(objects))) if (object.version) object.version = "0.0.1";
  },
  "JAX's checks are explained": ({ "frameworks/jax": file }) => (file.releases.at(-1)!.check = "none such"),
  "an error has one name, and eras of one numbering do not overlap": ({ "error-codes": file }) =>
    (file!.texts.find((text) => text.enum === "cudaError_t")!.code = 12_345),
};

test.each(laws.map(({ says, broken }) => [says, broken] as const))("it can be broken: %s", (says, broken) => {
  expect(Object.keys(breaks)).toContain(says);
  const copy = structuredClone(files);
  breaks[says]!(copy);
  expect(broken(copy, today)).not.toEqual([]);
});

test("nothing rests on memory alone", () => {
  const facts = factsOf(files);
  // A fact that nobody looked up may be written down while it is looked for; what is merged has a source, or a rule it was worked out by.
  expect(facts.filter(({ row }) => row.source === "memory").length).toBe(0);
  expect(facts.reduce((sum, { row }) => sum + (row.memory?.length ?? 0), 0)).toBe(0);
});
