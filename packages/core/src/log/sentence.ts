/**
 * What people say is free in the order of its words: "why can't the profiler load libcupti", "libcupti is not loaded by the profiler". A
 * sentence is therefore asked what stands in it and how near, and never for a row of words.
 */
export interface Sentence {
  text: string;
  /** Whether it speaks of this at all. */
  has: (pattern: RegExp) => boolean;
  /** Whether all of these stand within so many letters, in any order. */
  near: (span: number, ...patterns: RegExp[]) => boolean;
  /** What stands there, where it does. */
  find: (pattern: RegExp) => { [group: string]: string | undefined } | undefined;
}

const longest = 600;

// Programs write dates, levels, files and code; a person's line has none of them in front.
const written =
  /^\W{0,3}(?:\d{4}[-/]\d\d|\d\d:\d\d|\[[\w :.,/-]{1,40}\]|[IWEF]\d{4} |(?:INFO|DEBUG|WARN|WARNING|ERROR|FATAL|TRACE|CRITICAL|NOTE)\b|[\w.]{2,60}(?:Error|Exception|Warning)\b:?|Traceback|File "|>>>|\$ |\+ |--|(?:import|from|def|class|assert|raise|return|print|RUN|FROM|ENV|SKIPPED|Collecting|Requirement)\b)|[{}]|;\s{0,2}$|\w = \S|\w\(\w{1,20}=/;

// A program that goes on without something, and says so; and what is left open.
const goesOn =
  /\b(?:skipp(?:ed|ing)|optional|may be|might be|harmless|ignor(?:ed|ing)|disabl(?:ed|ing)|will (?:be used|use)|using (?:the )?CPU|(?:run|running) in CPU|default(?:s|ing) to)\b/i;

// What trackers and people put before a title.
const label = /^\W{0,3}\[(?:bug|question|issue|help|usage|installation|support|feature|performance)[\w ]{0,16}\]:?\s{0,3}/i;

// A call in the middle of a sentence is a name there: "jax.devices() gives [CpuDevice(id=0)]".
const called = /\b(?<name>[a-z_][\w.]{1,60})\([^()\n;{}]{0,40}\)/gi;

/** The sentences of a line, where a person may speak. */
export function sentencesOf(whole: string): Sentence[] {
  const line = whole.replace(label, "").replace(called, "$<name>");
  if (longest < line.length || !/[a-z]{2,20} [\w'’-]{1,20} [\w'’.-]/i.test(line) || written.test(line) || goesOn.test(line)) return [];
  return line
    .split(/[.!;](?=\s|$)|\?/)
    .filter((text) => 8 < text.length)
    .slice(0, 8)
    .map(sentenceOf);
}

function sentenceOf(text: string): Sentence {
  return {
    text,
    has: (pattern) => pattern.test(text),
    near: (span, ...patterns) => nearest(text, span, patterns),
    find: (pattern) => pattern.exec(text)?.groups,
  };
}

const mostPlaces = 6;

function nearest(text: string, span: number, patterns: RegExp[]): boolean {
  const places = patterns.map((pattern) => placesOf(text, pattern));
  const within = (at: number, from: number, to: number): boolean =>
    at === places.length ||
    places[at]!.some(([start, end]) => {
      const [first, last] = [Math.min(from, start), Math.max(to, end)];
      return last - first <= span && within(at + 1, first, last);
    });
  return within(0, Infinity, -Infinity);
}

const placesOf = (text: string, pattern: RegExp): [number, number][] =>
  [...text.matchAll(new RegExp(pattern.source, `${pattern.flags}g`))]
    .slice(0, mostPlaces)
    .map(({ index, 0: whole }) => [index, index + whole.length]);

/** Something does not happen. */
export const not =
  /\b(?:not|never|cannot|can['’]?t|doesn['’]?t|don['’]?t|isn['’]?t|aren['’]?t|won['’]?t|didn['’]?t|couldn['’]?t|wasn['’]?t|unable|fail(?:s|ed|ing)?|no longer|refuses?|stopped)\b/i;

/** The processor of graphics, by whatever name. */
export const gpu =
  /\bGPUs?\b|\b(?:graphics|video|nvidia) cards?\b|\bcuda devices?\b|\b(?:RTX|GTX|Tesla|Quadro|GeForce) ?A?\d{2,4}\b|\b[AHLVPTB]\d{2,3}s?\b|\bnvidia\.com\/gpu\b|\b(?:RTX ?)?50xx\b|\bRTX ?50(?:00)?[ -]series\b|\bRadeon\b|\bRX ?(?:Vega ?)?\d{2,4}\b|\bInstinct\b|\bMI[23]\d{2}X?\b|\b(?:my|the|a|an|old|new) [1-5]0[5-9]0(?: ?Ti| ?Super)?\b/i;

/** Libraries of this stack by the names that people give them; the first group is the one that is known. */
export const titles =
  /\b(?:lib)?(?<title>cudnn|cupti|cublaslt|cublas|cufft|cusparselt|cusparse|cusolver|curand|nccl|nvrtc|nvjitlink|tensorrt|nvinfer|cudart|nvml|nvvm|nvjpeg|cutensor|cutlass|nvshmem|nvimgcodec)(?:[\w-]{0,24}\.(?:so|dll)[\d.]{0,12})?(?![\w-])/i;

/** Who is spoken of, by the id of a framework. */
export const frameworks: [id: string, pattern: RegExp][] = [
  ["torch", /\b(?:py)?torch\b(?!vision|audio)|\btorch\./i],
  ["tensorflow", /\btensorflow\b|\btf\b|\bkeras\b|\btf\./i],
  ["jax", /\bjax(?:lib)?\b/i],
  ["onnxruntime", /\bonnx ?runtime(?:-gpu)?\b|\bORT\b/i],
  ["cupy", /\bcupy\b/i],
  ["numba", /\bnumba\b/i],
];

export const spokenOf = ({ has }: Sentence): string[] => frameworks.filter(([, pattern]) => has(pattern)).map(([id]) => id);

/** What is only weighed or wanted is no complaint. */
export const wished =
  /\b(?:if|unless|whether|in case|should I|would like|want to|wanted to|is there (?:a|any) way|how (?:can|do|to)(?: I| we| you)?(?: \w{2,12}){0,2} (?:limit|reduce|free|clear|disable|avoid|prevent|measure|check|monitor|choose|select|specify|use (?:multiple|two|several)))\b/i;

/** Somebody speaks of what is his, asks, or tells what he did. */
export const persons =
  /\?|\b(?:I|my|we|our|me|why|how|anyone|even though|although|help|after)\b|\b(?:ca|do|is|wo|does|did)n['’]t\b|\bnot [a-z]{2,14}ing\b|\b(?:docker|container|pod|WSL|Windows|Colab|Kaggle|Jetson)\b/i;
