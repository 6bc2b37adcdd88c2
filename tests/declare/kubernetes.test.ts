import { expect, test } from "vitest";
import { declared, short } from "./declared.ts";

const manifest = `apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  ports: [{port: 80}]
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: serve
spec:
  template:
    spec:
      nodeSelector:
        nvidia.com/gpu.product: NVIDIA-GeForce-GTX-1080
      containers:
        - name: proxy
          image: nginx:1.27
        - name: model
          image: python:3.11
          command: ["/bin/bash", "-c"]
          args:
            - |
              set -e
              pip install -q "torch==2.11.0"
              exec python serve.py
          resources:
            limits:
              nvidia.com/gpu: 1
---
apiVersion: batch/v1
kind: CronJob
metadata:
  name: nightly
spec:
  schedule: "0 3 * * *"
  jobTemplate:
    spec:
      template:
        spec:
          initContainers:
            - name: fetch
              image: python:3.13
              command: ["pip", "install", "torch==2.3.1"]
          containers:
            - name: train
              image: nvcr.io/nvidia/pytorch:24.05-py3
              env:
                - name: CUDA_VISIBLE_DEVICES
                  value: "-1"
                - name: TOKEN
                  valueFrom: {secretKeyRef: {name: a, key: b}}
`;

test("every container of every document, and the GPU that its node has", async () => {
  const answer = await declared("k8s/all.yaml", manifest);
  expect(short(answer)).toEqual(["error gpu-not-in-build 26", "error no-wheel-for-python 45", "warning gpus-hidden 50"]);
  expect(answer.check.findings[0]!.place!.line).toBe(26);
  // Who asks about another GPU is answered about that one.
  expect(short(await declared("k8s/all.yaml", manifest, { gpus: ["H100"] }))).not.toContain("error gpu-not-in-build 26");
});

test("what fits is silent", async () => {
  const fine = manifest
    .replace("NVIDIA-GeForce-GTX-1080", "NVIDIA-A100-SXM4-40GB")
    .replace("torch==2.3.1", "torch==2.6.0")
    .replace('value: "-1"', 'value: "0"');
  const answer = await declared("k8s/all.yaml", fine);
  expect([short(answer), answer.check.unknown, answer.check.status]).toEqual([[], [], "ok"]);
});

test.each([
  ["nodeSelector", "nodeSelector:\n    cloud.google.com/gke-accelerator: nvidia-tesla-k80\n"],
  [
    "affinity",
    "affinity:\n    nodeAffinity:\n      requiredDuringSchedulingIgnoredDuringExecution:\n        nodeSelectorTerms:\n          - matchExpressions:\n              - key: nvidia.com/gpu.product\n                operator: In\n                values: [Tesla-K80]\n",
  ],
])("a GPU that is named by %s counts only for a container that asks for one", async (_, selector) => {
  const pod = (limits: string) =>
    `apiVersion: v1\nkind: Pod\nspec:\n  ${selector}  containers:\n    - name: a\n      image: python:3.11\n      args: [pip, install, torch==2.5.1]\n${limits}`;
  const rules = async (text: string) => (await declared("pod.yml", text)).check.findings.map(({ rule }) => rule);
  expect(await rules(pod("      resources: {limits: {nvidia.com/gpu: 1}}\n"))).toContain("gpu-not-in-build");
  expect(await rules(pod(""))).toEqual([]);
});

test.each([
  ["apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - image: {{ .Values.image }}\n", "line 5, column 14 is a template"],
  ["apiVersion: v1\nkind: Pod\nspec:\n  containers:\n{{- toYaml .Values.c | nindent 4 }}\n", "line 5, column 1 is a template"],
  ["apiVersion: v1\nkind: Pod\nspec:\n  containers:\n   - image: x\n  - y\n", "line 6, column 3 is no YAML"],
])("what Helm must render first, and what is no YAML, is told with its place", async (text, words) => {
  await expect(declared("templates/pod.yaml", text)).rejects.toThrow(`\`templates/pod.yaml\` cannot be read: ${words}`);
});

test("an image that nothing is known of is open where a GPU is meant", async () => {
  const pod = `apiVersion: v1
kind: Pod
spec:
  containers:
    - name: a
      image: vllm/vllm-openai:v0.6.3
      resources:
        limits:
          nvidia.com/gpu: "1"
`;
  const { check } = await declared("pod.yaml", pod);
  expect([check.status, check.unknown.map(({ subject }) => subject)]).toEqual(["incomplete", ["pod.yaml:6:14"]]);
  expect((await declared("pod.yaml", pod.replace('"1"', '"0"'))).check.status).toBe("nothing-to-check");
});

test("aliases that multiply end in a sentence", async () => {
  const doubled = Array.from({ length: 30 }, (_, index) => `x${index + 1}: &x${index + 1} [*x${index}, *x${index}]`);
  const bomb = `apiVersion: v1\nkind: Pod\nx0: &x0 [{a: b}]\n${doubled.join("\n")}\nspec:\n  containers: []\n`;
  await expect(declared("pod.yaml", bomb)).rejects.toThrow("it holds more than any manifest does");
});

test("jax without its plugin, where a pod asks for a GPU that nothing else uses", async () => {
  const pod = (image: string, install: string) =>
    `apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: a }\nspec:\n  template:\n    spec:\n      containers:\n        - name: a\n          image: ${image}\n          command: [sh, -c, "pip install ${install} && python a.py"]\n          resources: { limits: { nvidia.com/gpu: 1 } }\n`;
  expect(short(await declared("a.yaml", pod("python:3.11-slim", "jax==0.5.0")))).toEqual(["warning cpu-only-build 10"]);
  for (const [image, install] of [
    ["python:3.11-slim", "jax[cuda12]==0.5.0"],
    ["python:3.11-slim", "jax==0.5.0 torch==2.5.1"],
    ["ghcr.io/somebody/jax:1", "jax==0.5.0"],
    ["python:3.11-slim", "flax==0.10.2 torch==2.5.1"],
  ] as const)
    expect(short(await declared("a.yaml", pod(image, install)))).toEqual([]);
  expect(short(await declared("a.yaml", pod("python:3.11-slim", "jax==0.5.0").replace(/ {10}resources.*\n/, "")))).toEqual([]);
});
