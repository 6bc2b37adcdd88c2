// What brings a library under the very name that is asked for.
import { describe, expect, test } from "vitest";
import { cudaMajorAmong, supplyOf } from "../../packages/core/src/knowledge/suppliers.ts";

/** The wheel as pip takes it, and the package of NVIDIA's repository. */
const said = (name: string, cuda?: string) => {
  const { wheel, apt } = supplyOf(name, cuda === undefined ? {} : { cuda });
  return [wheel && `${wheel.name}${wheel.specifier}`, apt];
};

describe("who brings a library", () => {
  test.each([
    ["libcudnn.so.8", undefined, ["nvidia-cudnn-cu12==8.*", "libcudnn8"]],
    ["libcudnn.so.8", "11.2", ["nvidia-cudnn-cu11==8.*", "libcudnn8"]],
    ["libcudnn.so.9", "13", ["nvidia-cudnn-cu13==9.*", "libcudnn9-cuda-13"]],
    // Its name says which CUDA it is of, whatever is known of the program.
    ["libcublas.so.11", "12.4", ["nvidia-cublas-cu11", "libcublas-11-8"]],
    ["libcufft.so.10", undefined, ["nvidia-cufft-cu11", "libcufft-11-8"]],
    ["libcusolver.so.11", "12.3", ["nvidia-cusolver-cu12", "libcusolver-12-3"]],
    // CUDA 11, 12 and 13 have this name: no package of a CUDA that nobody spoke of.
    ["libcurand.so.10", undefined, ["nvidia-curand-cu12", undefined]],
    ["libcurand.so.10", "12", ["nvidia-curand-cu12", "libcurand-12-9"]],
    // Up to CUDA 11 the minor is in the name, and only two of them are on PyPI.
    ["libcupti.so.11.2", undefined, [undefined, "cuda-cupti-11-2"]],
    ["libcupti.so.11.8", undefined, ["nvidia-cuda-cupti-cu11==11.8.*", "cuda-cupti-11-8"]],
    // A patch release is in no package's name.
    ["libcupti.so.13", "13.0.0", ["nvidia-cuda-cupti", "cuda-cupti-13-0"]],
    ["libnvinfer.so.8", undefined, [undefined, "libnvinfer8"]],
    // Up to CUDA 10.2 NVIDIA's packages have other names, and cuBLAS changed its own with 10.1; there are no wheels.
    ["libcublas.so.8.0", undefined, [undefined, "cuda-cublas-8-0"]],
    ["libcublas.so.9.2", undefined, [undefined, "cuda-cublas-9-2"]],
    ["libcublas.so.10.0", "10.2", [undefined, "cuda-cublas-10-0"]],
    ["libcublas.so.10", undefined, [undefined, "libcublas10"]],
    ["libcurand.so.10.0", undefined, [undefined, "cuda-curand-10-0"]],
    ["libcurand.so.10", "10.0", [undefined, "cuda-curand-10-2"]],
    ["libcurand.so.10", "10.1", [undefined, "cuda-curand-10-1"]],
    ["libcufft.so.9.0", undefined, [undefined, "cuda-cufft-9-0"]],
    ["libcusolver.so.10", "10.1", [undefined, "cuda-cusolver-10-1"]],
    ["libcusparse.so.10.0", undefined, [undefined, "cuda-cusparse-10-0"]],
    ["libcudart.so.9.0", undefined, [undefined, "cuda-cudart-9-0"]],
    ["libcupti.so.9.0", undefined, [undefined, "cuda-command-line-tools-9-0"]],
    ["libcupti.so.10.1", undefined, [undefined, "cuda-cupti-10-1"]],
    ["libnvToolsExt.so.1", "10.2", [undefined, "cuda-nvtx-10-2"]],
    ["libnothing.so.1", undefined, [undefined, undefined]],
  ])("%s for CUDA %s", (name, cuda, expected) => {
    expect(said(name, cuda)).toEqual(expected);
  });

  test("what is asked for beside a name of one CUDA is of that CUDA", () => {
    expect(cudaMajorAmong(["libcudnn.so.8", "libcublas.so.11"])).toBe("11");
    expect(cudaMajorAmong(["libcudnn.so.8", "libcurand.so.10"])).toBeUndefined();
  });
});
