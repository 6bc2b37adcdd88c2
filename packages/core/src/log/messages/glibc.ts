import type { Draft } from "../fact.ts";
import { nameOf } from "../../lib/path.ts";
import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { noise, notice, type Signature } from "../signature.ts";

const damaged = (reason: Extract<Draft, { kind: "damaged" }>["reason"], literal: string, pattern: RegExp, example: string): Signature => ({
  literals: [literal],
  pattern,
  examples: [example],
  facts: ({ file }) => ({ kind: "damaged", file: file!, reason }),
});

// glibc says "cannot open shared object file" in the language of the user (po/*.po; a few as older releases had them).
const translated = [
  "не ўдалося адкрыць супольны аб'ектны файл",
  "не може да се отвори файлът със споделения обект",
  "no s’ha pogut obrir el fitxer d’objecte compartit",
  "sdílený objektový soubor nelze otevřít",
  "kan ikke åbne delt objektfil",
  "Kann die Shared-Object-Datei nicht öffnen",
  "ne eblas malfermi komunan objektdosieron",
  "no se puede abrir el fichero del objeto compartido",
  "jaettua objektitiedostoa ei voi avata",
  "Ne peut ouvrir le fichier d'objet partagé",
  "non se pode abrir un ficheiro de obxecto compartido",
  "nije moguće otvoriti datoteku zajedničkoga objekta",
  "nem nyitható meg a megosztott objektumfájl",
  "impossibile de aperir un file de objecto condivise",
  "tidak dapat membuka berkas objek terbagi",
  "impossibile aprire il file oggetto condiviso",
  "共有オブジェクトファイルを開けません",
  "동적 오브젝트 파일을 열 수 없습니다",
  "nepavyko atverti bendrojo objekto failo",
  "kan gedeeld objectbestand niet openen",
  "nie można otworzyć pliku obiektu dzielonego",
  "impossível abrir ficheiro-objecto partilhado",
  "não é possível abrir arquivo compartilhado",
  "невозможно открыть разделяемый объектный файл",
  "nie je možné otvoriť súbor zdieľaného objektu",
  "deljene predmetne datoteke ni mogoče odpreti",
  "не могу да отворим датотеку дељеног објекта",
  "kan inte öppna delad objektfil",
  "paylaşımlı nesne dosyası açılamıyor",
  "не вдалося відкрити файл об’єктів спільного використання",
  "không thể mở tập tin đối tượng dùng chung",
  "无法打开共享对象文件",
  "無法開啟共用物件",
  "无法打开共享目标文件",
  "no se puede abrir el archivo del objeto compartido",
  "공유 오브젝트 파일을 열 수 없습니다",
  "impossible d'ouvrir le fichier d'objet partagé",
];

/** The dynamic loader of glibc (elf/dl-load.c, dl-lookup.c, dl-version.c) and musl (ldso/dynlink.c), in whatever wraps its words. */
export default [
  {
    // dyld of macOS writes C++ names with one more line before them.
    literals: ["symbol not found: "],
    pattern: /(?:dlopen\((?<file>[^,\n]{1,300}), ?\w{1,6}\): )?[Ss]ymbol not found: (?:\(?_)?(?<symbol>_?[A-Za-z][\w$]{2,400})/,
    examples: ["ImportError: dlopen(/v/_torch_sox.cpython-37m-darwin.so, 2): Symbol not found: __ZN3c1011CPUTensorIdEv"],
    facts: ({ file, symbol }) => ({ kind: "undefined-symbol", file: file ?? "", symbol: symbol! }),
  },
  {
    // elf/dl-reloc.c: an object with static TLS that is opened late finds no room left.
    ...notice(
      "static-tls",
      ["cannot allocate memory in static tls block", "cannot load any more object with static tls"],
      /(?:(?<![^\s:'"])(?<subject>[^\s:'"]{3,300}\.so[\w.]{0,30}): )?(?:cannot allocate memory in static TLS block|dlopen: cannot load any more object with static TLS)/,
      "OSError: /usr/lib/aarch64-linux-gnu/libgomp.so.1: cannot allocate memory in static TLS block",
      "ImportError: dlopen: cannot load any more object with static TLS",
    ),
    means: {
      weight: weights.failed,
      about: (_facts, _context, [fact]) => ({ name: nameOf(fact!.subject ?? "the library") }),
      next: ["python --version; ldd --version | head -n 1"],
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message: (_facts, _context, [fact]) =>
            `${fact!.subject === undefined ? "a library" : `\`${nameOf(fact!.subject)}\``} is opened too late: the loader has no room left for its thread-local memory; no release is wrong`,
          fixes: (_facts, _context, [fact]) => [
            ...(fact!.subject === undefined
              ? []
              : [fix("load it before everything else, with the program's own start", `export LD_PRELOAD=${fact!.subject}`)]),
            fix("or import the package that needs it first, before the others"),
          ],
        },
        { cause: "upstream-bug", message: "or an old glibc counts such libraries too strictly: newer systems have more room for them" },
      ],
    },
  },
  {
    // elf/ldconfig.c
    ...notice(
      "empty-file",
      "is empty, not checked",
      /File (?<subject>\S{3,200}\/lib(?:cuda|nvidia|nv|vdpau_nvidia|GLX_nvidia|EGL_nvidia|GLES|cudnn|cudart|cu)[\w.-]{2,80}) is empty, not checked/,
      "/sbin/ldconfig.real: File /usr/lib/x86_64-linux-gnu/libcuda.so.418.56 is empty, not checked.",
    ),
    means: {
      weight: weights.warned,
      about: (_facts, _context, all) => ({
        name: nameOf(all[0]!.subject!),
        required: "whole files, or none",
        found: `${all[0]!.subject} is empty`,
        evidence: all.slice(0, 3),
      }),
      next: ["ls -l /usr/lib/x86_64-linux-gnu/libcuda.so* /usr/lib/x86_64-linux-gnu/libnvidia-ml.so*"],
      may: [
        {
          cause: "library-damaged",
          message:
            "files of the driver are empty: they are the places onto which a container's runtime mounted those of the host, and were kept in an image or a container",
          fixes: [
            fix("build the image without NVIDIA's runtime as Docker's default, or delete the empty files in it"),
            fix("start the container with GPU access: the host's own files are then mounted"),
          ],
        },
        {
          cause: "benign-warning",
          message: "as long as the driver's files of the running release are there, the line does no harm",
          fixes: [],
        },
        { cause: "stale-artefact", message: "or they are left over from another release of the host's driver", fixes: [] },
      ],
    },
  },
  noise(
    "ldconfig found a file where it expected a link; the loader finds it all the same",
    "is not a symbolic link",
    /(?:ldconfig(?:\.real)?: \S{3,200}|(?:^|["'`\s])lib(?:cuda|nvidia|cudnn)[\w-]{0,30}\.so[\d.]{0,16}) is not a symbolic link/,
    "/sbin/ldconfig.real: /usr/lib/wsl/lib/libcuda.so.1 is not a symbolic link",
    "libcuda.so.1 is not a symbolic link",
  ),
  {
    literals: ["cannot open shared object"],
    pattern:
      /(?<![^\s:'"=,;(){}[\]])(?<name>[^\s:'"=,;(){}[\]]{1,300}): cannot open shared object(?: file)?(?:: (?<reason>Permission denied|Too many open files))?/,
    examples: [
      "ImportError: libcupti.so.11.2: cannot open shared object file: No such file or directory",
      "./train: error while loading shared libraries: libcudart.so.11.0: cannot open shared object file: No such file or directory",
    ],
    // A web page's mark of emphasis is no part of a name.
    facts: ({ name, reason }) =>
      reason === undefined ? { kind: "not-found", name: name!.replace(/^[_*`~]{1,3}(?=[a-z/])/, ""), by: "loader" } : undefined,
  },
  {
    literals: [".so"],
    pattern: new RegExp(`(?<![^\\s:'"=,;(){}[\\]])(?<name>[^\\s:'"=,;(){}[\\]]{1,300}) ?[:\uff1a] {0,2}(?:${translated.join("|")})`, "i"),
    examples: [
      "ImportError: libcudart.so.11.0: \u65e0\u6cd5\u6253\u5f00\u5171\u4eab\u5bf9\u8c61\u6587\u4ef6: \u6ca1\u6709\u90a3\u4e2a\u6587\u4ef6\u6216\u76ee\u5f55",
      "./train: Fehler beim Laden der Shared Libraries: libcublas.so.12: Kann die Shared-Object-Datei nicht \u00f6ffnen: Datei oder Verzeichnis nicht gefunden",
    ],
    facts: ({ name }) => ({ kind: "not-found", name: name!, by: "loader" }),
  },
  {
    literals: ["error loading shared library"],
    pattern: /Error loading shared library (?<name>[^\s:]{1,200}): No such file or directory(?: \(needed by (?<file>[^)]{1,300})\))?/,
    examples: ["Error loading shared library libcudart.so.12: No such file or directory (needed by /opt/app/infer)"],
    facts: ({ name, file }) => ({ kind: "not-found", name: name!, by: "loader", ...(file === undefined ? {} : { wantedBy: file }) }),
  },
  {
    // In words of people, and of programs that speak like them.
    literals: [".so", ".dll"],
    pattern:
      /(?:can(?:not|'t| not)|could(?: not|n't)|unable to|failed to|fails? to|inability to) (?:dynamically )?(?:load|open|find|locate|dlopen|import)(?: (?:any of|the|shared|dynamic|required|library|libraries|module|file|CUDA|DSO)){0,3}:? {0,2}["'`]?(?<name>lib[\w+-]{1,60}\.so(?:\.\d{1,4}){0,4}|cu[\w.]{2,30}\.dll|nv[\w.]{2,30}\.dll)(?!\w|\.\d|\.? {0,8}Error|'; dlerror| with error| locally)/i,
    examples: [
      "Why can't TensorBoard Profiler load? It says it could not load libcupti.so.11.2",
      "RuntimeError: Failed to load the shared library libcudnn.so.8",
    ],
    facts: ({ name }) => ({ kind: "not-found", name: name!, by: "said" }),
  },
  {
    literals: [".so"],
    pattern:
      /["'`]?(?<name>lib(?:cu|nv)[\w+-]{1,60}\.so(?:\.\d{1,4}){0,4})["'`]? (?:is |was )?(?:not found|missing|could not be (?:found|loaded|opened)|cannot be (?:found|loaded))/i,
    examples: ["libcudnn.so.8 not found", "libcupti.so.12 could not be loaded"],
    facts: ({ name }) => ({ kind: "not-found", name: name!, by: "said" }),
  },
  {
    literals: ["undefined symbol"],
    pattern:
      /(?<![^\s:'"=,;()])(?<file>[^\s:'"=,;()]{1,400}) {0,2}: {0,2}undefined symbol: {0,2}(?<symbol>[\w.@$]{1,600})(?: {0,2},? version (?<version>[\w.+-]{1,80}))?/,
    examples: [
      "ImportError: /opt/venv/nvidia/cusparse/lib/libcusparse.so.12: undefined symbol: __nvJitLinkComplete_12_4, version libnvJitLink.so.12",
      "python: symbol lookup error: /usr/lib/libcudnn_cnn_infer.so.8: undefined symbol: _ZN5cudnn3ops, version libcudnn_ops_infer.so.8",
    ],
    facts: ({ file, symbol, version }) => ({
      kind: "undefined-symbol",
      file: file!,
      symbol: symbol!,
      ...(version === undefined ? {} : { version }),
    }),
  },
  {
    // Somebody leaves the symbol out, or the paste ends before it.
    literals: ["undefined symbol"],
    pattern:
      /(?<![^\s:'"=,;()])(?<file>[^\s:'"=,;()]{1,400}\.so[\w.]{0,20}) {0,2}: {0,2}undefined symbols?(?= {0,2}[).,;!?"'`]|:?\s{0,4}$)/,
    examples: ["importerror: /flash_attn_2_cuda.cpython-310-x86_64-linux-gnu.so: undefined symbol"],
    facts: ({ file }) => ({ kind: "undefined-symbol", file: file!, symbol: "" }),
  },
  {
    // Cut at its beginning, or quoted by someone: the symbol still tells whose it is.
    literals: ["undefined symbol", "with link time reference"],
    pattern:
      /(?<!: {0,2})(?:undefined symbol:? {1,2}(?!(?:in|of|on|at|for|from|when|that|error|errors|while|and|or|is|was|with|about|during|inside|as)\b)(?<symbol>[\w.@$]{1,600})(?: {0,2},? version (?<version>[\w.+-]{1,80}))?|symbol (?<other>[\w.@$]{1,600}),? version (?<of>[\w.+-]{1,80}) not defined in file [\w.+-]{1,100} with link time reference)/,
    examples: ["undefined symbol: __nvJitLinkCreate_12_8, version libnvJitLink.so.12"],
    facts: ({ symbol, version, other, of }) => ({
      kind: "undefined-symbol",
      file: "",
      symbol: (symbol ?? other)!,
      ...(version === undefined && of === undefined ? {} : { version: (version ?? of)! }),
    }),
  },
  {
    literals: ["with link time reference"],
    pattern:
      /(?<![^\s:'"=,;()])(?<file>[^\s:'"=,;()]{1,400}): symbol (?<symbol>[\w.@$]{1,600}),? version (?<version>[\w.+-]{1,80}) not defined in file (?<other>[\w.+-]{1,100}) with link time reference/,
    examples: [
      "/usr/local/cuda/lib64/libcudnn_cnn_train.so.8: symbol _ZN10cask_cudnn2kr8isAmpere, version libcudnn_cnn_infer.so.8 not defined in file libcudnn_cnn_infer.so.8 with link time reference",
    ],
    facts: ({ file, symbol, other }) => ({ kind: "undefined-symbol", file: file!, symbol: symbol!, version: other! }),
  },
  {
    literals: ["error relocating"],
    pattern: /Error relocating (?<file>[^\s:]{1,300}): (?<symbol>[\w.@$]{1,300}): symbol not found/,
    examples: ["Error relocating /opt/app/libfoo.so: cublasLtGetStatusString: symbol not found"],
    facts: ({ file, symbol }) => ({ kind: "undefined-symbol", file: file!, symbol: symbol! }),
  },
  {
    literals: ["not found (", "no version information available (required by"],
    pattern:
      /(?<![^\s:'"])(?<file>[^\s:'"]{1,300}): version [`'"](?<version>[\w.+-]{1,80})['"] not found \((?:required by)? ?(?<user>[^)]{1,300})\)/,
    examples: [
      "ImportError: /lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.29' not found (required by /opt/venv/torch/lib/libtorch_cuda.so)",
    ],
    facts: ({ file, version, user }) =>
      user!.includes("tensorboard_data_server")
        ? { kind: "noise", reason: "TensorBoard's fast reader needs a newer system; TensorBoard reads with Python instead" }
        : { kind: "notice", id: "symbol-version-missing", subject: file!, required: version!, found: user! },
  },
  damaged(
    "too-short",
    "file too short",
    /(?<![^\s:'"])(?<file>[^\s:'"]{1,300}): file too short/,
    "OSError: /usr/lib/libcudnn.so.8: file too short",
  ),
  damaged(
    "not-elf",
    "invalid elf header",
    /(?<![^\s:'"])(?<file>[^\s:'"]{1,300}): invalid ELF header/,
    "OSError: /usr/lib/libcudnn.so.8: invalid ELF header",
  ),
  damaged(
    "wrong-class",
    "wrong elf class",
    /(?<![^\s:'"])(?<file>[^\s:'"]{1,300}): wrong ELF class/,
    "OSError: /usr/lib/libcuda.so.1: wrong ELF class: ELFCLASS32",
  ),
  damaged(
    "wrong-machine",
    "elf file data encoding",
    /(?<![^\s:'"])(?<file>[^\s:'"]{1,300}): ELF file data encoding not (?:little|big)-endian/,
    "OSError: /opt/libcudart.so.12: ELF file data encoding not little-endian",
  ),
  damaged(
    "wrong-machine",
    "exec format error",
    /(?<![^\s:'"])(?<file>[^\s:'"]{1,300}\.so[\w.]{0,40}): (?:cannot open shared object file: )?Exec format error/,
    "OSError: /opt/lib/libcudart.so.12: Exec format error",
  ),
  {
    // A paste that ends behind the name: nothing else is said of a library in this form.
    literals: ["importerror: lib", "oserror: lib"],
    pattern: /\b(?:ImportError|OSError): (?<name>lib[\w+-]{2,40}\.so(?:\.\d{1,4}){0,3})(?:\.? |\.?$)/,
    examples: ["ImportError: libcudart.so.12. I installed xformers from pip."],
    facts: ({ name }, { input, index, 0: whole }) =>
      /^[:\s]{0,2}(?:undefined|cannot|file|invalid|symbol|version|wrong)/.test(input.slice(index + whole.length))
        ? undefined
        : { kind: "not-found", name: name!, by: "said" },
  },
  {
    literals: ["glibc_2", "glibcxx_3"],
    pattern:
      /(?<!version [`'"])\b(?<version>(?:GLIBC_2|GLIBCXX_3)\.\d{1,2}(?:\.\d{1,2})?)[`'"]? (?:is |was )?(?:not found|missing|not available)\b(?! \()/,
    examples: ["ImportError GLIBC_2.27 not found"],
    facts: ({ version }) => ({
      kind: "notice",
      id: "symbol-version-missing",
      subject: version!.startsWith("GLIBCXX") ? "libstdc++.so.6" : "libc.so.6",
      required: version!,
    }),
  },
] satisfies Signature[];
