import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

/** runc, Docker and podman where an image is for another processor. */
export default [
  {
    ...notice(
      "image-other-processor",
      ["exec format error", "does not match the detected host platform", "image platform"],
      /exec (?:user process caused:? ?"?|\/[\w./-]{2,120}: )exec format error|standard_init_linux\.go[^\n]{0,60}exec format error|requested image's platform \((?<found>[\w/]{3,30})\) does not match the detected host platform \((?<required>[\w/]{3,30})\)|image platform \(\[?(?<image>[\w/]{3,30})\]?\) does not match/,
      "exec /opt/nvidia/nvidia_entrypoint.sh: exec format error",
      'standard_init_linux.go:211: exec user process caused "exec format error"',
      "WARNING: The requested image's platform (linux/amd64) does not match the detected host platform (linux/arm64/v8) and no specific platform was requested",
    ),
    means: {
      weight: weights.said,
      name: "the image",
      about: (_facts, _context, all) => {
        const fact = all.find(({ required }) => required !== undefined);
        return {
          required: fact ? `an image for ${fact.required}` : "an image for the host's processor",
          found: fact ? `one for ${fact.found}` : "one for another",
        };
      },
      next: ["uname -m", "docker image inspect --format '{{.Architecture}}' $(docker ps -aql --format '{{.Image}}')"],
      may: [
        {
          cause: "wrong-wheel-platform",
          certainty: "likely",
          message: (facts) =>
            facts.on("jetson")
              ? "the image is for another processor: a Jetson takes NVIDIA's images for L4T (l4t-base, l4t-pytorch, l4t-jetpack)"
              : "the image is for another processor than the host's: x86-64 images do not run on ARM hosts (GH200, DGX Spark, Jetson), nor the other way round",
          fixes: (facts) => [
            facts.on("jetson")
              ? fix("take an image of NVIDIA's for L4T, with the host's release as its tag", "cat /etc/nv_tegra_release")
              : fix(
                  "take a tag that is built for the host's processor (`docker manifest inspect` lists them; NVIDIA's own images have both), or build the image on the host itself",
                ),
          ],
        },
        { cause: "not-a-mismatch", message: "or the file that it starts is empty, or has no first line that names its interpreter" },
      ],
    },
  },
] satisfies Signature[];
