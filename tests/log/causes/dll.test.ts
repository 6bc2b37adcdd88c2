import step from "../../../packages/core/src/log/causes/dll.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "library-missing > library-not-on-path > library-wrong-version",
    "FileNotFoundError: Could not find module 'C:\\venv\\llama_cpp\\lib\\ggml-cuda.dll' (or one of its dependencies). Try using the full path with constructor syntax.",
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version",
    "ImportError: DLL load failed: Не найден указанный модуль.\nFailed to load the native TensorFlow runtime.",
  ],
  // A function that a library lacks: the library is of another release.
  [
    "library-wrong-version > library-shadowed > package-conflict > upstream-bug",
    'OSError: [WinError 127] 找不到指定的程序。 Error loading "D:\\venv\\paddle\\..\\nvidia\\cusolver\\bin\\cusolver64_11.dll" or one of its dependencies.',
  ],
  [
    "library-wrong-version > library-shadowed > package-conflict > upstream-bug",
    "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: Не найдена указанная процедура.",
  ],
  [
    "library-wrong-version > package-conflict > library-missing > not-a-mismatch",
    "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: A dynamic link library (DLL) initialization routine failed.",
  ],
  [
    "library-wrong-version > package-conflict > library-missing > not-a-mismatch",
    "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: 动态链接库(DLL)初始化例程失败。",
  ],
  [
    "library-wrong-version > package-conflict > library-missing > not-a-mismatch",
    'OSError: [WinError 1114] A dynamic link library (DLL) initialization routine failed. Error loading "C:\\venv\\torch\\lib\\c10.dll" or one of its dependencies.',
  ],
  [
    "mixed-cudnn-sublibraries > two-copies > library-wrong-version > library-shadowed > package-conflict > upstream-bug",
    'OSError: [WinError 127] The specified procedure could not be found. Error loading "D:\\v\\torch\\lib\\cudnn_adv_train64_8.dll" or one of its dependencies.',
  ],
  [
    "mixed-cudnn-sublibraries > two-copies > library-wrong-version > library-shadowed > package-conflict > upstream-bug",
    'starting it gives errors about "entry point not found" for files:\ncudnn_adv_infer64_8.dll',
  ],
  [
    "stale-artefact > library-wrong-version > library-shadowed > package-conflict > upstream-bug",
    'I re-installed PyTorch for the GPU\nImportError: DLL load failed while importing _C: The specified procedure could not be found.\nFile "C:\\v\\site-packages\\pytorch3d\\io.py", line 8, in x\nimport torch',
  ],
  [
    "library-wrong-version > library-shadowed > package-conflict > stale-artefact > upstream-bug",
    'ImportError: DLL load failed while importing _C: The specified procedure could not be found.\nFile "C:\\v\\site-packages\\torch\\io.py", line 8, in x',
  ],
]);
