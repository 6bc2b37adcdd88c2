import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "spacy",
  packages: ["spacy"],
  modules: ["spacy"],
  mapped: ["/spacy/"],
});
