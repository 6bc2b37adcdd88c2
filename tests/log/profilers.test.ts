import { answered } from "./asked.ts";

const refused =
  "==PROF== Connected to process 4711 (/home/user/app)\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0. For instructions on enabling permissions and to get more information see https://developer.nvidia.com/ERR_NVGPUCTRPERM";
const kineto = (error: string, code: number) =>
  `WARNING:2024-02-02 09:53:39 166:166 init.cpp:155] function cbapi->getCuptiStatus() failed with error ${error} (${code})
WARNING:2024-02-02 09:53:39 166:166 init.cpp:156] CUPTI initialization failed - CUDA profiler activities will be missing
INFO:2024-02-02 09:53:39 166:166 init.cpp:158] If you see CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, refer to https://developer.nvidia.com/nvidia-development-tools-solutions-err-nvgpuctrperm-cupti`;
const host = /NVreg_RestrictProfilingToAdminUsers=0/;
const hostCommands = /modprobe\.d|update-initramfs|sudo reboot/;

// Each as it is posted, with the answer that somebody who knows the tools would give.
answered({
  "Nsight Compute on one's own Linux machine: sudo for once, a driver option for good": {
    text: `$ ncu ./app\n${refused}`,
    cause: ["profiler-permission"],
    says: [/sudo.*RestrictProfilingToAdminUsers=0.*in a container/],
  },
  "Nsight Compute in Docker": {
    text: `root@3f2a:/workspace# cat run.sh\ndocker run --gpus all -it nvcr.io/nvidia/pytorch:24.01-py3\nroot@3f2a:/workspace# ncu python train.py\n${refused}`,
    cause: ["profiler-permission"],
    says: [/--cap-add=SYS_ADMIN/, host],
  },
  "Nsight Compute in a pod": {
    text: `$ kubectl exec -it trainer-0 -- ncu ./app\n${refused}`,
    cause: ["profiler-permission"],
    says: [/securityContext/, /SYS_ADMIN/],
    never: [/docker run/],
  },
  "Nsight Compute on Windows": {
    text: `C:\\Users\\me\\build> ncu.exe app.exe\n==PROF== Connected to process 1234 (C:\\Users\\me\\build\\app.exe)\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0.`,
    cause: ["profiler-permission"],
    says: [/NVIDIA Control Panel/, /as administrator/i],
    never: [hostCommands, /docker/, /sudo/],
  },
  "Nsight Compute under WSL: the switch is one of Windows": {
    text: `Linux DESKTOP 5.15.153.1-microsoft-standard-WSL2\n$ ncu ./app\n${refused}`,
    cause: ["profiler-permission"],
    says: [/NVIDIA Control Panel/],
    never: [hostCommands, /docker run/],
  },
  "Nsight Compute in Colab": {
    text: `!ncu ./app\n/content\n${refused.replace("/home/user/app", "/content/app")}\nGoogle Colab, T4`,
    cause: ["profiler-permission"],
    says: [/hosted notebook/],
    never: [hostCommands, /docker/],
  },
  "Nsight Compute in a job of Slurm": {
    text: `$ srun --gres=gpu:1 ncu ./app\n${refused}`,
    cause: ["profiler-permission"],
    says: [/administrators/],
    never: [/sudo/, /docker/],
  },
  "Nsight Compute on a Jetson: its driver has no such option, and root may": {
    text: `nvidia@tegra-ubuntu:~$ cat /etc/nv_tegra_release\n# R35 (release), REVISION: 4.1, GCID: 33958178, BOARD: t186ref\n$ ncu ./app\n${refused}`,
    cause: ["profiler-permission"],
    says: [/sudo/],
    never: [/modprobe\.d|RestrictProfiling/],
  },
  "PyTorch's profiler in a container without rights": {
    text: `docker run --gpus all --rm -it pytorch/pytorch python prof.py\n${kineto("CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", 35)}`,
    cause: ["profiler-permission"],
    says: [/--cap-add=SYS_ADMIN/],
  },
  "Kineto's own hint about rights is no refusal: here CUPTI did not start": {
    text: `${kineto("CUPTI_ERROR_NOT_INITIALIZED", 15)}\nexport LD_LIBRARY_PATH="/usr/local/cuda/lib64:/usr/local/cuda/lib64/stubs:/usr/local/cuda/extras/CUPTI/lib64:/opt/openmpi/lib"`,
    cause: ["library-shadowed", "stub-library"],
    says: [/LD_LIBRARY_PATH/, /stub/],
    never: [/counters are closed/, host],
  },
  "Kineto without a word about the path": {
    text: kineto("CUPTI_ERROR_NOT_INITIALIZED", 15),
    cause: ["library-shadowed", "stub-library"],
    says: [/LD_LIBRARY_PATH/],
    never: [/^✗ GPU performance counters are closed/],
  },
  "two profilers: PyTorch's under Nsight Systems": {
    text: `$ nsys profile python train.py\n${kineto("CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED", 39)}`,
    cause: ["profiler-conflict"],
    says: [/one profiler at a time/],
    never: [/Keras/],
  },
  "two profilers: JAX's under Nsight Systems": {
    text: `$ nsys profile python train.py\n2024-06-03 10:01:02.541307: E external/xla/xla/backends/profiler/gpu/cupti_error_manager.cc:186] cuptiSubscribe: error 39: CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED\njax 0.4.28`,
    cause: ["profiler-conflict"],
    says: [/jax\.profiler/],
    never: [/Keras|TensorBoard\(/],
  },
  "DCGM holds the counters": {
    text: `==ERROR== Profiling failed because a driver resource was unavailable. Ensure that no other tool (like DCGM) is concurrently collecting profiling data. See https://docs.nvidia.com/nsight-compute/ProfilingGuide/index.html#faq for more details.`,
    cause: ["profiler-conflict"],
    says: [/dcgmi profile --pause/, /--resume/],
  },
  "nvprof on a GPU that it does not know, on Windows": {
    text: `D:\\Codes>nvprof add.exe\n======== Warning: nvprof is not supported on devices with compute capability 8.0 and higher.\n                  Use NVIDIA Nsight Systems for GPU tracing and CPU sampling and NVIDIA Nsight Compute for GPU profiling.`,
    cause: ["profiler-platform-unsupported"],
    says: [/Nsight Systems/, /Nsight Compute/],
    never: [/sudo|apt-get/],
  },
  "Nsight Compute newer than the driver": {
    text: `==ERROR== An error was reported by the driver:\n==ERROR== Cuda driver is not compatible with Nsight Compute.\n==PROF== Connected to process 2305223\nNVIDIA-SMI 525.60.13    Driver Version: 525.60.13    CUDA Version: 12.0`,
    cause: ["driver-too-old"],
    says: [/525\.60\.13/, /older Nsight Compute|Nsight Compute of CUDA 12\.0/],
  },
  "Nsight Systems: only the processor's samples are lacking": {
    text: `WARNING: CPU IP/backtrace sampling not supported, disabling.\nTry the 'nsys status --environment' command to learn more.\n\nWARNING: CPU context switch tracing not supported, disabling.\nTry the 'nsys status --environment' command to learn more.\n\nGenerating '/tmp/nsys-report-3e1a.qdstrm'`,
    cause: ["benign-warning"],
    says: [/perf_event_paranoid/, /GPU/],
  },
  "Nsight Systems' GPU metrics without rights": {
    text: `$ nsys profile --gpu-metrics-devices=all python train.py\nIllegal --gpu-metrics-devices argument. None of the installed GPUs are supported, or the user has insufficient privilege, see https://developer.nvidia.com/ERR_NVGPUCTRPERM`,
    cause: ["profiler-permission"],
    says: [host],
  },
  "Nsight Systems under WSL shows no kernels": {
    text: `Windows 11, WSL2 Ubuntu 22.04\n$ nsys profile --stats=true python train.py\nSKIPPED: /home/u/report1.sqlite does not contain CUDA trace data.`,
    cause: ["profiler-platform-unsupported"],
    says: [/WSL/],
    never: [hostCommands],
  },
  "a container with a part of a GPU (MIG) may not be asked as a whole": {
    text: `docker run --gpus '"device=MIG-3eb9"' ...\n  File "/opt/conda/lib/python3.8/site-packages/scalene/scalene_gpu.py", line 43, in memory_used\n    mem_info = pynvml.nvmlDeviceGetMemoryInfo(self.__handle[i])\npynvml.nvml.NVMLError_NoPermission: Insufficient Permissions`,
    cause: ["profiler-platform-unsupported"],
    says: [/MIG/],
    never: [/\bsudo reboot\b/],
  },
  "a virtual GPU: the hypervisor opens its counters, and no option of the guest's driver": {
    text: `function cuptiActivityEnable(CUPTI_ACTIVITY_KIND_KERNEL) failed with error CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES.`,
    cause: ["profiler-permission", "profiler-platform-unsupported"],
    says: [/hypervisor/, /enable_profiling/],
    never: [hostCommands],
  },
  "WSL with a driver that CUPTI refuses by name": {
    text: "failed with error CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED (46)",
    cause: ["profiler-platform-unsupported"],
    says: [/WSL/],
  },
  "confidential computing": {
    text: "function cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) failed with error CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED.",
    cause: ["profiler-platform-unsupported"],
    says: [/confidential/i],
    never: [/WSL/],
  },
  "an old TensorFlow's CUPTI under a driver of years later": {
    text: `NVIDIA-SMI 535.129.03    Driver Version: 535.129.03    CUDA Version: 12.2\nNVIDIA GeForce RTX 4090\n2023-05-16 21:01:05.541307: E external/xla/xla/backends/profiler/gpu/cupti_error_manager.cc:137] cuptiGetTimestamp: error 999: \njaxlib 0.4.7+cuda11.cudnn86`,
    cause: ["cupti-too-old-for-driver"],
    says: [/535\.129\.03/],
  },
  "TensorFlow on Windows without rights": {
    text: `2021-03-01 10:11:12.123456: E tensorflow/core/profiler/internal/gpu/cupti_tracer.cc:1408] function cupti_interface_->Subscribe( &subscriber_, (CUpti_CallbackFunc)ApiCallback, this)failed with error CUPTI_ERROR_INSUFFICIENT_PRIVILEGES\nC:\\Users\\me\\train.py`,
    cause: ["profiler-permission"],
    says: [/NVIDIA Control Panel/],
    never: [hostCommands, /docker/, /sudo/],
  },
  "JAX without libcupti": {
    text: `2024-06-03 10:01:02.541307: E external/xla/xla/backends/profiler/gpu/cupti_error_manager.cc:135] cuptiGetTimestamp: ignored due to a previous error.\nCould not load dynamic library 'libcupti.so.12'; dlerror: libcupti.so.12: cannot open shared object file: No such file or directory\njax 0.4.28`,
    cause: ["library-missing", "library-not-on-path"],
    says: [/nvidia-cuda-cupti-cu12/],
    never: [/tensorflow/i],
  },
  "the plugin of TensorBoard is older than TensorFlow": {
    text: `  File "C:\\venv\\Lib\\site-packages\\tensorboard_plugin_profile\\convert\\raw_to_tool_data.py", line 43, in <module>\n    from tensorflow.python.profiler.internal import _pywrap_profiler_plugin\nImportError: cannot import name '_pywrap_profiler_plugin' from 'tensorflow.python.profiler.internal' (C:\\venv\\Lib\\site-packages\\tensorflow\\python\\profiler\\internal\\__init__.py)\ntensorflow==2.18.0\ntensorboard-plugin-profile==2.18.0`,
    cause: ["profiler-plugin-version"],
    says: [/pip install.*(?:xprof|tensorboard.plugin.profile)/],
    never: [/sudo|docker/],
  },
  "DCGM's exporter without the right": {
    text: `$ docker run --gpus all --rm -p 9400:9400 nvcr.io/nvidia/k8s/dcgm-exporter:3.3.9-3.6.1-ubuntu22.04\nWarning #2: dcgm-exporter doesn't have sufficient privileges to expose profiling metrics. To get profiling metrics with dcgm-exporter, use --cap-add SYS_ADMIN`,
    cause: ["profiler-permission"],
    says: [/--cap-add=SYS_ADMIN/],
  },
  "Proton of Triton: CUPTI's number alone": {
    text: `RuntimeError: Failed to execute cuptiGetContextId with error 35\nproton.start("matmul", hook="triton", backend="cupti_pcsampling")`,
    cause: ["profiler-permission"],
    says: [host],
  },
  "a healthy Kineto": {
    text: `STAGE:2023-05-05 10:10:10 1000:1000 ActivityProfilerController.cpp:311] Completed Stage: Warm Up\nINFO:2023-05-05 10:10:10 1000:1000 ActivityProfilerController.cpp:317] Completed Stage: Collection\n[W CPUAllocator.cpp:235] Memory block of unknown size was allocated before the profiling started, profiler results will not include the deallocation event\nExternal init callback must run in same thread as registerClient (1234 != 5678)`,
    cause: ["benign-warning"],
  },
});
