import { parts } from "../../parts.ts";
import { defineTargetKind } from "../target-kind.ts";

export default defineTargetKind({
  id: "image",
  kind: "image",
  prefix: "image:",
  form: "`image:FILE`",
  forms: "`image:FILE`",
  help: "a container image (`image:FILE`: what `docker save` writes, an OCI archive or layout; `image:FILE#NAME` where it holds several)",
  place: 4,
  async open(file, { keeping, told }) {
    if (file === "") throw new Error("`image:` names no file: image:FILE does");
    const { image } = await parts.image();
    return image(file, await keeping(), {}, told);
  },
});
