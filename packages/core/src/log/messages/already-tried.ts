import { notice, type Signature } from "../signature.ts";

/** What somebody has done before he asked: advice to do it is none. */
export default [
  notice(
    "rebooted",
    ["reboot", "restart"],
    /\b(?:(?:tried|after|have|had|already|I|we|did|a) (?:\w{1,10} ){0,2}(?:reboot(?:ed|ing|s)?|restart(?:ed|ing)? (?:the |my |our )?(?:machine|computer|server|host|PC|system|laptop))|reboot(?:ing|s)?(?: \w{1,12}){0,3} (?:does|did|do)(?: not|n['\u2019]t) (?:help|work|change|fix|solve))\b/i,
    "Tried rebooting, still doesn't work",
    "I have already restarted the server",
    "a reboot did not help",
  ),
  {
    // A shell's prompt: who asks is root there, mostly in a container.
    ...notice(
      "as-root",
      "root@",
      /^\s{0,8}(?:\([\w.-]{1,40}\) )?root@[\w.-]{1,64}:[^\n]{0,120}#/,
      "root@5f3c1a2b9d10:/workspace# ncu ./app",
    ),
    single: true,
  },
] satisfies Signature[];
