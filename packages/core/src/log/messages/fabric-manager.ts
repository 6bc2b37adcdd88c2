import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { ownMatter, type ToldFixes } from "../meaning.ts";
import { majorOf } from "../context.ts";
import { notice, type Signature } from "../signature.ts";

// The fabric manager must be of exactly the driver's release.
const fabricOfDriver: ToldFixes = (_facts, _context, [fact]) => [
  fix(
    "install the fabric manager of exactly the driver's release",
    `sudo apt-get install nvidia-fabricmanager-${majorOf(fact!.required!)}=${fact!.required}-1`,
    "sudo systemctl restart nvidia-fabricmanager",
  ),
];

/** The fabric manager of machines with NVSwitch; closed, the words are as users' logs have them. */
export default [
  {
    ...notice(
      "fabric-mismatch",
      "fabric manager nvidia gpu driver interface version",
      /fabric manager NVIDIA GPU driver interface version (?<found>\d{3}\.[\d.]{1,10}\d) don.{1,3}t match with driver version (?<required>\d{3}\.[\d.]{1,10}\d)/i,
      "fabric manager NVIDIA GPU driver interface version 535.104.05 don't match with driver version 535.129.03. Please update with matching NVIDIA driver package.",
    ),
    means: {
      weight: weights.said,
      name: "nvidia-fabricmanager",
      next: ["nvidia-smi --query-gpu=driver_version --format=csv", "apt list --installed 2>/dev/null | grep fabricmanager"],
      about: (_facts, _context, [fact]) => ({
        required: `fabric manager ${fact!.required}, the release of the driver`,
        found: fact!.found!,
      }),
      may: [
        {
          cause: "kernel-module-mismatch",
          certainty: "certain",
          message: (_facts, _context, [fact]) =>
            `the fabric manager is of release ${fact!.found}, and the driver that runs is ${fact!.required}`,
          fixes: fabricOfDriver,
        },
        { cause: "package-conflict", message: "the two packages were not updated together", fixes: fabricOfDriver },
      ],
    },
  },
  {
    ...notice(
      "no-nvswitch",
      "nv_warn_nothing_to_do",
      /NVSwitch driver failed with error: ?WARNING Nothing to do \[NV_WARN_NOTHING_TO_DO\]/,
      "request to query NVSwitch device information from NVSwitch driver failed with error:WARNING Nothing to do [NV_WARN_NOTHING_TO_DO]",
    ),
    means: ownMatter(
      "nvidia-fabricmanager",
      "the fabric manager finds no NVSwitch: most machines have none and do not need it; boards of the Blackwell generation need NVLSM beside it",
      "switch the service off where the GPUs are not joined by NVSwitch (`sudo systemctl disable nvidia-fabricmanager`), or install nvlsm",
    ),
  },
] satisfies Signature[];
