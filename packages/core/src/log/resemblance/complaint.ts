import type { LogLine } from "../../model/explain.ts";
import { withoutSupposed } from "../hypothetical.ts";
import { sentencesOf } from "../sentence.ts";

// A program that ends, or a call that does: nothing goes on after it.
const ended =
  /^(?:[\w.:]{0,80})(?:Error|Exception)\b ?(?::|\(|$)|\b(?:fatal|fatal error|error)(?: [A-Z]?\d{1,5})?:(?! {0,2}[\d.])|\bTraceback \(most recent|\b(?:[Ss]egmentation fault|core dumped|terminate called|Aborted|panicked at|exited with (?:code )?[1-9]|exit (?:code|status) [1-9]|returned non-zero|unresolved external|undefined reference)\b|\bERROR\b|^E\d{4} /;

// What somebody tells who is not content.
const fails =
  /\b(?:errors?\b(?!:? {0,2}[\d.])|fail(?:s|ed|ing|ure)?|crash(?:es|ed|ing)?|exception|cannot|can['’]?t|could(?: not|n['’]?t)|unable|does(?: not|n['’]?t)|is(?:n['’]t| not)|wo(?:n['’]?t|uld not)|did(?: not|n['’]?t)|not (?:found|work\w*|support\w*|detect\w*|recogni[sz]ed|available|compatible|load\w*|installed)|missing|mismatch\w*|incompatib\w+|conflict\w*|instead of|rather than|only (?:on |uses? |using )?(?:my |the )?CPU|undefined|invalid|illegal|kill(?:ed|s)|hangs?|hung|trouble|freez\w+|frozen|stuck|segfaults?|segmentation|abort(?:s|ed)|wrong|broken?|breaks?|problem|issue|no longer|stop(?:s|ped) work\w*|refus\w+|denied|empty|blank|corrupt\w*|garbage|silent(?:ly)?|black (?:images?|screen)|NaNs?|slow(?:er)?|(?:utili[sz]ation|utility|usage)(?: is)? (?:very |too |so )?low|low (?:gpu )?(?:utili[sz]ation|utility|usage))\b/i;
// A logger's level is an `I`, too, before the path of a file.
const persons =
  /\bI(?= [a-z]{2,12}(?: |$))|\b(?:I['’](?:m|ve|d)|[Mm]y|[Ww]e|[Aa]nyone|[Aa]nybody|[Pp]lease|[Ww]hy|[Hh]ow|[Hh]elp)\b|\?(?:\s|$)|[\u0400-\u04ff]{3}|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]{2}/;
// The same in other languages.
const failsElsewhere =
  /报错|失败|错误|无法|不能|不了|没有|找不到|不支持|冲突|怎么|为什么|请问|卡住|崩溃|异常|エラー|失敗|できな|動かな|しない|見つから|оши?бк|не работает|не удал|не вид|пада|не мож|falla|no funciona|no encuentra|não funciona|erro\b|no puedo|funktioniert nicht|Fehler|stürzt|nicht gefunden|erreur|ne fonctionne|impossible|오류|실패|안 됩|않습|없/i;

// What goes on without, what is said of anybody, and what is code, a comment, a heading of a manual or a test.
const goesOn =
  /\bwarning ?:|\b(?:skip(?:ped|ping|s)|optional(?:ly)?|may be|might be|harmless|ignor(?:ed|ing)|disabl(?:ed|ing)|falling back|fallback|default(?:s|ing)? to|when built|if built|requires?:?$|not required|not needed|no (?:errors|problems|issues)|0 (?:errors|failed|failures)|make sure|ensure|to avoid)\b/i;
const code =
  /^\s{0,40}(?:#|\/\/|\*|\||--|>>>|\$ |if |elif |else\b|def |class |import |from |return |print|assert |const |for |while )|[{};]\s{0,3}$|\w\(\w{0,30}=/;

const shortText = 8;
// Programs count, and name releases with an @; people seldom do so in a title.
const counts = /@\d|%|\d\D{1,40}\d[\d.]{0,6}\D{1,40}\d/;

// Nobody tells a story of a hundred lines; what is longer is a log, which ends with an error, or begins with what somebody says of it.
const longStory = 60;
const beginning = 8;
// Sources are full of what may go wrong, and so are manuals and lists of changes.
const shareOfCode = 0.25;
const document =
  /^(?:Metadata-Version: \d|#{1,6} (?:\w+ )?(?:Installation|Changelog|Contributing|License|Usage|Features|Requirements|Getting Started)\b|(?:Changelog|Release notes|What['’]s new)\s*$|v?\d+\.\d+\.\d+ \(?\d{4}-\d\d-\d\d\)?|.{0,40}Copyright (?:\(c\)|©|20\d\d)|# coding[:=]|"""|\{-|\/\*\*?$)/i;

/** Whether the text says that something is wrong: as a program that ended, or as somebody who asks. */
export function complaintIn(lines: LogLine[]): LogLine | undefined {
  if (isSource(lines)) return undefined;
  const end = lines.find(({ text }) => isEnd(withoutSupposed(text)));
  if (end) return end;
  const written = lines.slice(0, longStory < lines.length ? beginning : lines.length).filter(({ text }) => !code.test(text));
  const told = written.find(({ text }) => isTold(withoutSupposed(text)));
  if (!told || written.some(({ text }) => persons.test(withoutSupposed(text)))) return told;
  // A text begins with what it is about where somebody wrote it: a title.
  const isTitle = told === lines[0] && (lines.length <= shortText || (0 < sentencesOf(told.text).length && !counts.test(told.text)));
  return isTitle ? told : undefined;
}

const isEnd = (text: string) => ended.test(text) && !goesOn.test(text) && /^\s{0,40}(?:\w|\[|\()/.test(text);

const isTold = (text: string) => (fails.test(text.replaceAll(address, "")) && !goesOn.test(text)) || failsElsewhere.test(text);

const address = /https?:\/\/\S+/g;

/** A program's text, a manual or a list of changes: whoever pastes one of these says nothing of what happened. */
const isSource = (lines: LogLine[]): boolean =>
  shortText < lines.length &&
  !lines.some(({ text }) => text.startsWith("Traceback (most recent")) &&
  (shareOfCode * lines.length < lines.filter(({ text }) => code.test(text)).length ||
    lines.slice(0, beginning).some(({ text }) => document.test(text)));
