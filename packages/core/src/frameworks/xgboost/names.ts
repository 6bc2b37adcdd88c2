import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "xgboost",
  packages: ["xgboost"],
  modules: ["xgboost"],
  mapped: ["/xgboost/lib/"],
  otherBuilds: ["xgboost-cpu"],
});
