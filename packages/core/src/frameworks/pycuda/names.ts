import { defineNames } from "../../model/framework-names.ts";

export default defineNames({ id: "pycuda", packages: ["pycuda"], modules: ["pycuda"], mapped: ["/pycuda/"], startsNvcc: true });
