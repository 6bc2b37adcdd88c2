import { judgeHuge, representative } from "./huge-files.ts";

judgeHuge(representative);
