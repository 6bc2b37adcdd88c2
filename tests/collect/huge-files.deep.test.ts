import { judgeHuge, others, representative } from "./huge-files.ts";

judgeHuge([...representative, ...others]);
