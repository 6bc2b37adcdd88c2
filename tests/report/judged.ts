// Real judgements for reports: the H200 machine that is kept as a case, with variables changed.
import fs from "node:fs";
import { gunzipSync } from "node:zlib";
import {
  openTarget,
  checkTarget,
  readSnapshot,
  type Check,
  type Judgement,
  type Question,
  type Snapshot,
  type WhatIf,
} from "../../packages/core/src/index.ts";
import { asExpected } from "../rules/expected.ts";
import { statusOf } from "../../packages/core/src/model/check.ts";

const read = await readSnapshot(gunzipSync(fs.readFileSync("cases/h200-healthy/snapshot.json.gz")).toString());
if ("problem" in read) throw new Error(read.problem);

export const h200: Snapshot = read.snapshot;

/** Someone puts the system's cuDNN 9.14 before the one of torch's wheels. */
export const mixedCudnn: WhatIf = { environment: { LD_LIBRARY_PATH: "/usr/lib/x86_64-linux-gnu" } };
export const hiddenGpus: WhatIf = { environment: { CUDA_VISIBLE_DEVICES: "" } };

export async function judge(snapshot: Snapshot, whatIf: WhatIf = {}, question: Partial<Question> = {}): Promise<Judgement> {
  const judged = await checkTarget(await openTarget(snapshot, whatIf), { programs: [], activities: [], python: [], ...question });
  if ("problem" in judged) throw new Error(judged.problem);
  asExpected(judged.check.findings);
  return judged;
}

/** The machine with a start-up file that sets the variable, as people do. */
export const withSetter: Snapshot = {
  ...h200,
  files: {
    ...h200.files,
    "/etc/profile.d": { kind: "folder", names: ["cuda.sh"] },
    "/etc/profile.d/cuda.sh": {
      kind: "file",
      size: 96,
      text: "# CUDA for everybody\nexport PATH=/usr/local/cuda/bin:$PATH\nexport LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu\n",
    },
  },
};

/** A check that was changed, with the status that it then has. */
export const settled = (check: Check): Check => ({ ...check, status: statusOf(check) });
