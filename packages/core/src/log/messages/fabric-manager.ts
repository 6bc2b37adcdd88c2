import { ownMatter } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

/** The fabric manager of machines with NVSwitch; closed, the words are as users' logs have them. */
export default [
  notice(
    "fabric-mismatch",
    "fabric manager nvidia gpu driver interface version",
    /fabric manager NVIDIA GPU driver interface version (?<found>\d{3}\.[\d.]{1,10}\d) don.{1,3}t match with driver version (?<required>\d{3}\.[\d.]{1,10}\d)/i,
    "fabric manager NVIDIA GPU driver interface version 535.104.05 don't match with driver version 535.129.03. Please update with matching NVIDIA driver package.",
  ),
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
