import { answered } from "./asked.ts";

const dso = (name: string, path: string) =>
  `2022-05-01 10:00:00.000000: W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library '${name}'; dlerror: ${name}: cannot open shared object file: No such file or directory; LD_LIBRARY_PATH: ${path}`;
const loaded = (has: string, wants: string) =>
  `E tensorflow/stream_executor/cuda/cuda_dnn.cc:377] Loaded runtime CuDNN library: ${has} but source was compiled with: ${wants}.  CuDNN library needs to have matching major version and equal or higher minor version.`;
const cell = (source: string[], ...text: string[]) =>
  JSON.stringify(
    {
      cells: [{ cell_type: "code", source, outputs: [{ output_type: "stream", name: "stderr", text: text.map((line) => `${line}\n`) }] }],
      metadata: { colab: { provenance: [] }, accelerator: "GPU" },
      nbformat: 4,
    },
    undefined,
    1,
  );

// Why is TensorBoard's profiler using an incompatible libcupti?
answered({
  "TensorFlow reaches no CUPTI, and says so in its last words": {
    text: "2022-05-01 10:00:00.000000: E tensorflow/core/profiler/internal/gpu/cupti_tracer.cc:1666] CUPTI could not be loaded or symbol could not be found.",
    cause: ["library-not-on-path", "library-missing", "library-wrong-version"],
    says: [/CUPTI/, /tensorflow/],
    never: [/--for torch/],
  },
  "what the handler of a program prints around it": {
    text: "Profiler Error: Failed to load libcupti (is it installed and accessible?)\nPossible CUPTI Version Mismatch",
    cause: ["library-not-on-path", "library-missing", "library-wrong-version"],
    says: [/CUPTI/],
  },
  "a TensorFlow for CUDA 11.0 beside CUDA 12.0 that opens the other CUPTI": {
    text: `# TensorFlow 2.4.0 was compiled against CUDA 11.0\nexport LD_LIBRARY_PATH=/usr/local/cuda-12.0/lib64:/usr/local/cuda-12.0/extras/CUPTI/lib64\n${dso("libcupti.so.11.0", "/usr/local/cuda-12.0/lib64:/usr/local/cuda-12.0/extras/CUPTI/lib64")}`,
    cause: ["library-wrong-version", "library-missing"],
    says: [/libcupti\.so\.11\.0/, /12\.0/, /cuda-cupti-11-0/],
    never: [/CUDA 11\.0 is installed/, /conda/],
  },
  "PyTorch's profiler with a toolkit's CUPTI before its own": {
    text: "WARNING:2024-02-02 09:53:39 166:166 init.cpp:155] function cbapi->getCuptiStatus() failed with error CUPTI_ERROR_NOT_INITIALIZED (15)\nLD_LIBRARY_PATH=/usr/local/cuda-11.0/extras/CUPTI/lib64:/usr/local/cuda-11.0/lib64",
    cause: ["library-shadowed"],
    says: [/\/usr\/local\/cuda-11\.0/, /unset LD_LIBRARY_PATH/],
  },
  "the import of an old tutorial: TensorBoard has no such module any more": {
    text: `Traceback (most recent call last):\n  File "train.py", line 2, in <module>\n    from tensorboard.plugins.profile import profiler\nModuleNotFoundError: No module named 'tensorboard.plugins.profile'`,
    cause: ["profiler-plugin-version"],
    says: [/tensorboard.plugin.profile/, /tf\.profiler\.experimental/],
  },
  "the same line of TensorFlow in a notebook": {
    text: cell(
      ["tf.profiler.experimental.start(logdir=log_dir)"],
      "E tensorflow/core/profiler/internal/gpu/cupti_tracer.cc:1415] function cupti_interface_->Subscribe( &subscriber_, (CUpti_CallbackFunc)ApiCallback, this)failed with error CUPTI_ERROR_INSUFFICIENT_PRIVILEGES",
    ),
    cause: ["profiler-permission"],
    says: [/hosted notebook/],
  },
});

// Why can't TensorBoard's profiler load libcupti.so.11.2?
answered({
  "another minor of CUDA 11 is installed, and is no help": {
    text: dso("libcupti.so.11.2", "/usr/local/cuda-11.4/lib64"),
    cause: ["library-wrong-version", "library-missing"],
    says: [/11\.4/, /cuda-cupti-11-2/],
    never: [/conda/, /ln -s/],
  },
  "the right toolkit, and not the folder in which CUPTI lies": {
    text: dso("libcupti.so.11.2", "/usr/local/cuda-11.2/lib64"),
    cause: ["library-not-on-path"],
    says: [/\/usr\/local\/cuda-11\.2\/extras\/CUPTI\/lib64/],
  },
  "said in words": {
    text: "TensorBoard Profiler cannot load libcupti.so.11.2, I have CUDA 11.4 installed",
    cause: ["library-wrong-version", "library-missing"],
    says: [/libcupti\.so\.11\.2/, /11\.4/],
  },
  "no GPU counted, and nothing else": {
    text: "Num GPUs Available:  0",
    cause: ["wrong-wheel-cpu-only", "not-a-mismatch", "driver-not-exposed", "library-missing"],
    says: [/^\?/, /5 causes|causes fit/],
  },
  "PyCUDA wants a libcurand whose number never changed": {
    text: `  File "/v/lib/python3.10/site-packages/pycuda/driver.py", line 66, in <module>\n    from pycuda._driver import *  # noqa\nImportError: libcurand.so.10: cannot open shared object file: No such file or directory`,
    cause: ["library-missing", "library-not-on-path"],
    says: [/libcurand/],
    never: [/CUDA 10(?!\.1 to)/],
  },
  "a question about TensorBoard whose program has kernels of PyCUDA, too": {
    text: "Why can't the TensorBoard profiler load libcupti.so.11.2?\n\nimport pycuda.driver as cuda\nfrom pycuda.compiler import SourceModule\nimport tensorflow as tf",
    cause: ["library-missing", "library-not-on-path"],
    says: [/cuda-cupti-11-2/],
    never: [/pycuda again/],
  },
  "TensorBoard in a notebook that shows nothing": {
    text: cell(["%tensorboard --logdir logs/fit"], "No dashboards are active for the current data set."),
    cause: ["not-a-mismatch"],
    says: [/logdir|log folder/i],
  },
});

// Why does the cuDNN version mismatch?
answered({
  "a C++ program whose handle fails": {
    text: "CuDNN initialization failed: CUDNN_STATUS_NOT_INITIALIZED",
    cause: ["not-a-mismatch", "library-wrong-version", "library-shadowed", "driver-too-old"],
    says: [/release|version/],
    never: [/TF_FORCE/, /pip install/],
  },
  "ldd: cuDNN 7 beside a runtime of CUDA 11": {
    text: "$ ldd ./app\n\tlibcudnn.so.7 => /usr/lib/x86_64-linux-gnu/libcudnn.so.7 (0x00007f0000000000)\n\tlibcudart.so.11.0 => /usr/local/cuda-11.0/lib64/libcudart.so.11.0 (0x00007f0000000000)\n\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f0000000000)",
    cause: ["library-wrong-version", "wrong-wheel-cuda-version", "package-conflict"],
    says: [/cuDNN 7/, /CUDA 11/],
  },
  "ldd: cuDNN is not found": {
    text: "$ ldd ./app\n\tlibcudnn.so.8 => not found\n\tlibcudart.so.11.0 => /usr/local/cuda-11.8/lib64/libcudart.so.11.0 (0x00007f0000000000)",
    cause: ["library-missing", "library-not-on-path"],
    says: [/apt-get install libcudnn8/],
    never: [/^\s*pip install nvidia-cudnn-cu12\s*$/m],
  },
  "what an answer says of anybody's CUDA is no fact of this machine": {
    text: "Why does the cuDNN version mismatch?\n\nPicture two toolkits. Using a cuDNN made for CUDA 11.x with a driver that knows CUDA 10.x will certainly fail.",
    cause: ["library-wrong-version", "library-shadowed"],
    never: [/driver that runs/, /CUDA 10/],
  },
  "what somebody does himself is one": {
    text: "I am using a wheel for CUDA 11.8 with driver 440.33, and it will crash at the first kernel.",
    cause: ["driver-too-old"],
  },
  "the program ends before main": {
    text: "./app: error while loading shared libraries: libcudnn.so.8: cannot open shared object file: No such file or directory",
    cause: ["library-missing", "library-not-on-path"],
    says: [/apt-get install libcudnn8/],
  },
  "a mislabelled error of the program itself: no cuDNN in it": {
    text: "TensorFlow version: 2.15.0\nCUDA version: /device:GPU:0\nCuDNN error: conv2d() missing 2 required positional arguments: 'input' and 'filter'",
    cause: ["not-a-mismatch"],
    says: [/error of the program/],
    never: [/pip install/],
  },
  "cuDNN of a newer GPU generation than the card": {
    text: "Check failed: status == CUDNN_STATUS_SUCCESS (6 vs. 0)  CUDNN_STATUS_ARCH_MISMATCH",
    cause: ["arch-unsupported"],
    says: [/GPU/],
  },
  "two packages want two releases": {
    text: 'ERROR: pip\'s dependency resolver does not currently take into account all the packages that are installed. This behaviour is the source of the following dependency conflicts.\ntensorflow 2.15.0 requires nvidia-cudnn-cu12==8.9.4.25; extra == "and-cuda", but you have nvidia-cudnn-cu12 9.1.0.70 which is incompatible.',
    cause: ["package-conflict"],
    says: [/8\.9\.4\.25/, /9\.1\.0\.70/],
  },
});

// Is a mismatch between the loaded and compiled cuDNN versions affecting Google Colab's runtime?
answered({
  "a newer minor of the same major is fine": {
    text: loaded("8.4.0", "8.2.0"),
    cause: ["not-a-mismatch"],
    never: [/is older/, /pip install/],
  },
  "an older minor is not": {
    text: `Google Colab\n${loaded("8.0.5", "8.2.0")}`,
    cause: ["library-wrong-version"],
    says: [/8\.0\.5 is older than 8\.2\.0/],
    never: [/reboot|conda/],
  },
  "what the version check of a notebook prints": {
    text: "TensorFlow version: 2.8.0\nINFO:tensorflow:TensorFlow CUDA Build version: 11.2\nINFO:tensorflow:System CUDA Version: nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 12.2, V12.2.140\nCuda available: False",
    cause: ["wrong-wheel-cuda-version", "library-missing", "library-wrong-version"],
    says: [/11\.2/, /12\.2/],
  },
  "the same program on a CPU build has no such key": {
    text: `Traceback (most recent call last):\n  File "check.py", line 9, in <module>\n    cudnn_version = tf.sysconfig.get_build_info()['cuda_version']\nKeyError: 'cuda_version'`,
    cause: ["wrong-wheel-cpu-only"],
    says: [/without CUDA|CPU build/, /tensorflow/],
  },
  "Colab's Python is too new for that TensorFlow": {
    text: "!pip install tensorflow==2.8.0\nERROR: Could not find a version that satisfies the requirement tensorflow==2.8.0 (from versions: 2.12.0rc0, 2.12.0rc1, 2.12.0, 2.13.0)\nERROR: No matching distribution found for tensorflow==2.8.0\nGoogle Colab",
    cause: ["package-conflict", "not-a-mismatch", "wrong-wheel-platform"],
    says: [/Python/, /2\.8\.0/],
  },
  "the release of cuDNN that apt does not have": {
    text: "!sudo apt install libcudnn8=8.2.0.53-1+cuda11.3\nReading package lists... Done\nE: Version '8.2.0.53-1+cuda11.3' for 'libcudnn8' was not found\nGoogle Colab",
    cause: ["package-conflict", "not-a-mismatch", "library-missing"],
    says: [/libcudnn8/, /apt-cache madison libcudnn8/],
  },
  "a plain error of the program": {
    text: `Traceback (most recent call last):\n  File "<ipython-input-3>", line 3, in <module>\n    logging.set_verbosity(logging.INFO)\nAttributeError: module 'logging' has no attribute 'set_verbosity'`,
    cause: ["not-a-mismatch"],
    says: [/error of its code/],
  },
});

// What is said of a fault that may come is no fault; what starts a program is not to blame for it.
answered({
  "a hint before anything happened": {
    text: "INFO: If libcudnn.so.9 is not found, install it with pip install nvidia-cudnn-cu12\nepoch 1 done",
    cause: [],
  },
  "a note about an error that one may see": {
    text: "Note: should you see 'CUDA error: no kernel image is available for execution on the device', rebuild with TORCH_CUDA_ARCH_LIST\nstep 1 loss 0.2",
    cause: [],
  },
  "a fault, and then a hint": {
    text: "ImportError: libcudnn.so.9: cannot open shared object file: No such file or directory. If you see this error, reinstall.",
    cause: ["library-missing"],
  },
  "IPython is no framework, and was built for nothing": {
    text: `  File "/v/lib/python3.10/site-packages/IPython/core/interactiveshell.py", line 3508, in run_code\n    exec(code_obj, self.user_global_ns, self.user_ns)\nImportError: libcudnn.so.8: cannot open shared object file: No such file or directory`,
    cause: ["library-missing"],
    never: [/IPython/],
  },
  "a package for CUDA 12 beside CUDA 10.1": {
    text: "cupy-cuda12x 13.0.0\nnvcc: Cuda compilation tools, release 10.1, V10.1.243\nImportError: libcublas.so.12: cannot open shared object file: No such file or directory",
    cause: ["wrong-wheel-cuda-version"],
    says: [/10\.1/],
  },
  "a build of bitsandbytes that is lacking is not advised": {
    text: "CUDA SETUP: Required library version not found: libbitsandbytes_cuda122.so. Maybe you need to compile it from source?",
    cause: ["wrong-wheel-cuda-version"],
    never: [/BNB_CUDA_VERSION=122/],
  },
  "a container of Docker that lost its GPU": {
    text: "(container) $ nvidia-smi -L\nFailed to initialize NVML: Unknown Error\ndocker ps\nafter systemctl daemon-reload",
    cause: ["driver-not-exposed"],
    says: [/cgroup/, /docker restart/],
    never: [/--gpus all/],
  },
  "a pod that lost its GPU": {
    text: "kubectl exec -it trainer-0 -- nvidia-smi\nFailed to initialize NVML: Unknown Error",
    cause: ["driver-not-exposed"],
    says: [/nvidia\.com\/gpu/],
    never: [/--gpus all|docker/],
  },
});
