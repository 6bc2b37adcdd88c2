import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "ctranslate2",
  packages: ["ctranslate2"],
  modules: ["ctranslate2"],
  mapped: ["/ctranslate2/_ext.", "/ctranslate2.libs/libctranslate2"],
  bundling: { packages: ["ctranslate2"], folders: ["ctranslate2.libs"] },
  needsPath: true,
});
