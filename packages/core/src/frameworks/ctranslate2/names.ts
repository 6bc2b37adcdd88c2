import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "ctranslate2",
  packages: ["ctranslate2"],
  modules: ["ctranslate2"],
  solve: { name: "ctranslate2", rank: 6 },
  mapped: ["/ctranslate2/_ext.", "/ctranslate2.libs/libctranslate2"],
  bundling: { packages: ["ctranslate2"], folders: ["ctranslate2.libs"] },
  needsPath: true,
  servesCpu: ["ctranslate2"],
  failsAt: "matmul",
  // Wheels of 4.4.0 and before bring the front of cuDNN 8, those up to 4.6.2 that of cuDNN 9, newer ones none.
  releasesFor: [
    { library: "cudnn", major: "8", releases: ">=3,<4.5" },
    { library: "cudnn", major: "9", releases: ">=4.5", opens: "<4.6.3" },
  ],
});
