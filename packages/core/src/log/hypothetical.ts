// "If you see CODE, …", "should you get …", "if libcudnn.so.9 is not found, …"; what people who explain say of anybody: "using a cuDNN for
// CUDA 11 with CUDA 10 will fail".
const opening =
  /(?<!(?:\b(?:am|are|is|was|were|been|while)|'m|'re|’m|’re) )\b(?:using|mixing|combining|pairing|running|installing|loading|linking) (?:[^.;!?]|\.(?=\w)){3,160}? (?:will|would|may|might|can|could) (?:\w{2,14} )?(?:fail|break|crash|cause|lead|result|produce|trigger|raise)\b(?! (?:in |to |with )?(?:this|the(?: following)?|that|an?) (?:error|message|exception))|\b(?:if you (?:see|get|encounter|receive|run into|face|are getting|are seeing)|if (?:the |your |a |an )?[`'"]?[\w.+-]{2,60}[`'"]? (?:is|are|was|were|cannot|can't|could not|does not|doesn't)|should you (?:see|get|encounter|receive|run into)|when(?:ever)? you (?:see|get|encounter)|when(?:ever)? (?:no |the |a |an )?(?:CUDA|GPU|ROCm|driver)s? (?:is|are) (?:not |un)?(?:available|detected|found|installed|present|usable|visible)|in case (?:of|you (?:see|get)))\b/gi;

// What a release changed, or which releases something is made for, as lists of changes and manuals have it: "- Drop support for Python 3.8".
const change =
  /^\s{0,12}(?:[-*•+]|\d{1,3}[.)])\s.{0,60}?\b(?:drop(?:s|ped)?|remov(?:e|es|ed)|deprecat(?:e|es|ed)|add(?:s|ed)?|extend(?:s|ed)?) (?:\w{1,14} ){0,2}support\b|^\s{0,12}[-*•+]\s[^:]{1,40}: (?:un)?supported$/i;

/**
 * Where a line explains a fault that may come. What stands within such a clause did not happen; what stands before it, or in the next
 * sentence, may have.
 */
function clausesIn(text: string): { start: number; end: number }[] {
  if (change.test(text)) return [{ start: 0, end: text.length }];
  return [...text.matchAll(opening)].map(({ index, 0: words }) => {
    // A name such as libcudnn.so.9 ends no sentence.
    const rest = text.slice(index + words.length);
    return { start: index, end: index + words.length + (/[.;!?](?=\s|$)/.exec(rest)?.index ?? rest.length) };
  });
}

/** Whether what begins at this place of a line is only supposed. */
export const isSupposed = (text: string, at: number): boolean => clausesIn(text).some(({ start, end }) => start <= at && at < end);

/** The line without what is only supposed in it. */
export function withoutSupposed(text: string): string {
  return clausesIn(text).reduceRight((left, { start, end }) => `${left.slice(0, start)}${left.slice(end)}`, text);
}
