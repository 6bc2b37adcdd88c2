// What gives access to something: keys, tokens, passwords. They are known by how they look, by what stands before them, or by the name that
// they are given to.
import { mapTexts } from "./visible.ts";

/** The text without private keys in the form that programs keep them in; it keeps its lines. */
export const withoutKeys = (text: string): string => text.replace(privateKey, (key) => gone + key.replace(/[^\n]/g, ""));

/** What stands in the place of a secret. */
export const gone = "(redacted)";

/** The text without secrets; all around them stays. A name of a file that looks like one stays as well: whoever looks must find the file. */
export const withoutSecrets = (text: string): string => replaceSecrets(text, () => gone, "keep names of files");

/** Every text of a value without secrets; what a field of a secret's name holds goes, too. */
export function withoutSecretsIn<T>(value: T): T {
  return mapTexts(value, withoutSecrets);
}

/** Whether a variable, an option or a field of this name holds a secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name) && !publicName.test(name);
}

/**
 * Gives every secret of a text away for another text. `isSure` says that it cannot well be anything else, wherever it is found again: a
 * short password may be a word.
 */
export function replaceSecrets(text: string, other: (secret: string, isSure: boolean) => string, names?: "keep names of files"): string {
  if (!mayHold.test(text)) return text;
  let rest = withoutKeys(text);
  for (const form of inAddresses) rest = rest.replace(form, (found: string) => (isGone(found) ? found : other(found, isRandom(found))));
  for (const form of tokens)
    rest = rest.replace(form, (found: string, at: number, whole: string) =>
      names && isPartOfPath(whole, at, found.length) ? found : other(found, true),
    );
  rest = rest.replace(authorisation, (whole: string, head: string, secret: string) =>
    isGone(secret) || !(head.includes(":") || /bearer/i.test(head) || isRandom(secret)) || /^(token|authenticat)/i.test(secret)
      ? whole
      : head + other(secret, isRandom(secret)),
  );
  rest = withoutAssigned(rest, other);
  rest = rest.replace(setting, (whole: string, head: string, name: string, secret: string) =>
    !isSecretName(name) || isGone(secret) || isHarmless(secret) ? whole : head + other(secret, isRandom(secret)),
  );
  for (const command of commands)
    rest = rest.replace(command, (whole: string, head: string, secret: string) =>
      isGone(secret) || isHarmless(secret) ? whole : head + other(secret, isRandom(secret)),
    );
  return rest;
}

/** What names that say so are given. A value that is none may hold names and values in turn. */
function withoutAssigned(text: string, other: (secret: string, isSure: boolean) => string): string {
  let made = "";
  let done = 0;
  naming.lastIndex = 0;
  for (let named; (named = naming.exec(text));) {
    const [, name, sign] = named;
    valued.lastIndex = naming.lastIndex;
    const given = isSecretName(name!) ? valued.exec(text) : null;
    if (!given) continue;
    const [whole, quoted] = given;
    const quote = quoted === undefined ? "" : /^\\*["']/.exec(quoted)![0];
    const secret = whole.slice(quote.length, whole.length - quote.length);
    // In a sentence a colon need not give anything a value: `unexpected token: end of file`.
    const isSaid = sign!.includes(":") && quoted === undefined && !/passw|passphrase|secret/i.test(name!);
    if (isGone(secret) || isHarmless(secret) || (isSaid && !isRandom(secret))) continue;
    made += `${text.slice(done, given.index)}${quote}${other(secret, isRandom(secret))}${quote}`;
    done = naming.lastIndex = given.index + whole.length;
  }
  return made + text.slice(done);
}

/** Between slashes, or before the ending of a name; an address has slashes, too, but says so. */
const isPartOfPath = (text: string, at: number, length: number) =>
  (text[at - 1] === "/" || text[at + length] === "/" || /^\.\w/.test(text.slice(at + length, at + length + 2))) && !text.includes("://");

const isGone = (secret: string) => secret.includes(gone) || /^redacted-\d+$/.test(secret);

/** Letters and digits as no person would write them: such a text is found again only where it is the same thing. */
const isRandom = (text: string) =>
  8 <= text.length && !/^[~.]?\/|\.so\b/.test(text) && ((/\d/.test(text) && /[A-Za-z]/.test(text)) || 16 <= text.length);

/** Switches, references to other variables and names of files are no secrets, whatever they are given to. */
const isHarmless = (value: string) =>
  /^(?:|true|false|yes|no|on|off|none|null|auto|default|\d{1,5}|\*+|<.*>|\$[\w{(].*|%[\w(].*)$/i.test(value) ||
  /^(?:~|\.{0,2})(?:\/[\w.@+-]*){2,}$/.test(value);

const secretName =
  /token|secret|passw(?:or)?d|passphrase|credential|private|api[_-]?key|access[_-]?key|auth[_-]?key|(?:^|[_-])auth$|(?:^|[_.-])(?:key|pass|pat|pwd|pw|creds?|sas|sig|signature)(?:[_-]?id)?s?$/i;
// Where a secret lies, and what only sounds like one.
const publicName =
  /(?:[_-](?:file|path|dir|home|name|url|uri|host|command|helper|provider|type|length|limit|count)|^(?:old)?pwd|tokenizers?_\w+)$|tokeniz/i;

// A cheap look first: most texts are paths.
const mayHold =
  /[@=?:]|(?:hf|org|pat|gh[pousr]|v\d|shp\w\w|api|npm|r8|gsk|gems|figd|sntrys|live|test|prod)_|\bgl\w{2,5}-|nvapi-|xox|xapp-|tskey-|PMAK-|AT[AC]TT|\bsk-|key|A[KSBC][IC]A|AIza|eyJ|ya29|SG\.|hv[sbr]\.|dapi|pypi-|BEGIN|bearer|basic|digest|negotiate|authorization|\/t\/|\s-[pPawu]|pass|login|token|secret|cred|auth|pwd/i;

const privateKey = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g;

const inAddresses: RegExp[] = [
  // Who says who he is in an address; `git@` is nobody.
  // A password may hold a slash that nobody spelled; a port ends before one.
  /(?<=:\\{0,7}\/\\{0,7}\/)[^\s/:@"'<>`]{1,200}:(?!\d{1,5}\/)[^\s:@"'<>`]{1,500}(?=@)/g,
  /(?<=:\\{0,7}\/\\{0,7}\/)(?!(?:git|hg|svn|ssh)@)[^\s/@"'<>`]{1,2000}(?:@[^\s/@"'<>`]{1,2000}){0,8}(?=@)/g,
  /(?<=\/\/)[^/\s:@"'<>`]{1,500}:[^/\s@"'<>`]{1,500}(?=@)/g,
  /(?<=^|[\s="'(,])[\w.+-]{1,100}:[^\s/@:"'<>`]{1,200}(?=@(?!sha\d)[\w.-]{1,200}(?:[:/\s"']|$))/g,
  /(?<=[?&;#](?:[\w.-]{0,40}(?:token|key|secret|sig|signature|passw(?:or)?d|pwd|auth|credential|session)[\w.-]{0,40})=)[^&\s"'#<>`]{3,}/gi,
  // Channels of conda that are not for everybody.
  /(?<=\/t\/)[A-Za-z0-9-]{8,}(?=\/)/g,
];

// Whoever gives such keys out lets them begin alike.
const tokens: RegExp[] = [
  /\b(?:hf|api_org)_(?:[A-Za-z0-9]{12,}|(?=[A-Za-z]*\d)[A-Za-z0-9]{8,})/g,
  /\b(?:gh[pousr]_|github_pat_|dckr_pat_|dop_v1_|shp(?:at|ca|pa|ss)_|lin_api_|wandb_v\d_|rubygems_|figd_|sntrys_)(?=[\w-]{0,64}[A-Za-z0-9]{8})[A-Za-z0-9_-]{8,}/g,
  /\b(?:npm|r8|gsk)_[A-Za-z0-9]{20,}/g,
  /\b(?:gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)|nvapi|xox[abeoprs]|xapp|tskey|PMAK|ATATT\w*|ATCTT\w*)-(?=[\w.-]{0,64}[A-Za-z0-9]{8})[A-Za-z0-9_.-]{8,}/g,
  /\bsk-(?=[\w-]{0,64}[A-Za-z0-9]{8})[A-Za-z0-9_-]{8,}/g,
  /\b[spr]k_(?:live|test|prod)_[A-Za-z0-9]{8,}/g,
  /\bkey-[0-9a-f]{24,}/g,
  /\bpypi-[A-Za-z0-9_-]{16,}/g,
  /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,}\b/g,
  /\bAIza[A-Za-z0-9_-]{16,}/g,
  /\bya29\.[A-Za-z0-9_-]{8,}/g,
  /\bSG\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g,
  /\bhv[sbr]\.[A-Za-z0-9_-]{16,}/g,
  /\bdapi[0-9a-f]{16,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{4,}){1,4}/g,
];

const authorisation =
  /(\b(?:(?:proxy-)?authorization["']?\s{0,3}[:=]\s{0,3}["']?(?:[A-Za-z]{2,20}\s{1,3})?|(?:bearer|basic|digest|negotiate|apikey)\s{1,3}))([^\s"'`,;<>]{6,})/gi;

// `NAME=`, `"name": `, `name: `, `--name `; also where the quotes are escaped, as in JSON in a text.
const naming = /(?<![\w.-])-{0,2}([A-Za-z_][\w.-]{0,80})(?:\\{0,7}["'])?(\s{0,3}(?::=|=>|[=:])\s{0,3}|(?<=--[\w-]{2,80})\s{1,3})/g;
const valued = /(\\{0,7}"(?:[^"\\]|\\+(?![\\"]))*\\{0,7}"|'[^']*')|[^\s"'`;&|<>,)]+/y;

// csh and fish.
const setting = /(\b(?:setenv|set\s{1,3}-\w{1,8}|set\s{1,3}--\w{1,12})\s{1,3}([A-Za-z_]\w{0,80})\s{1,3}["']?)([^\s"'`;&|]+)/g;

const commands: RegExp[] = [
  /(\b(?:mysql\w*|mariadb\w*|mongo\w*|sshpass|7z\w*|rar|unrar)\b[^\n|;&]{0,300}?\s-p\s?)([^\s"'`;&|]+)/g,
  /(\b(?:docker|podman|skopeo|crane|helm|az|nerdctl)\b[^\n|;&]{0,200}?\blogin\b[^\n|;&]{0,300}?\s-p[ =]?)([^\s"'`;&|]+)/g,
  /(\b(?:redis-cli)\b[^\n|;&]{0,300}?\s-a\s?)([^\s"'`;&|]+)/g,
  /(\b(?:zip|unzip)\b[^\n|;&]{0,300}?\s-P\s?)([^\s"'`;&|]+)/g,
  /(\bldap\w+\b[^\n|;&]{0,300}?\s-w\s?)([^\s"'`;&|]+)/g,
  /(\b(?:curl|wget|http|https)\b[^\n|;&]{0,300}?\s(?:-u|--user|--proxy-user|-U)[ =]?["']?)([^\s"'`;&|]+)/g,
  /(\bwandb\s+login\s+(?:--\w+\s+)*)([A-Za-z0-9_-]{8,})/g,
  // In a sentence only what nobody would write as a word.
  /(\b(?:token|passwords?|secret|api[ _-]?key|credentials?)\s{1,3}(?:is\s|was\s)?["'`]?)((?=[A-Za-z]*\d)(?=\d*[A-Za-z])(?=\w*\d\w*\d)[A-Za-z0-9]{16,})/gi,
  // .netrc
  /(\b(?:login|machine)\s+\S{1,200}\s+password\s+)(\S+)/g,
];
