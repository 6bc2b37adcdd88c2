/* NVML beside the driver for tests, as libnvidia-ml.so.1: one GPU, and little to say about it. */
#include <stdio.h>

enum { success = 0, not_supported = 3 };

const char padding[2 << 20] = { 1 };
static int gpu;

int nvmlInit(void) { return success; }
int nvmlInit_v2(void) { return success; }
int nvmlInitWithFlags(unsigned flags) { (void)flags; return success; }
int nvmlShutdown(void) { return success; }
const char *nvmlErrorString(int error) { return error == success ? "The operation was successful" : "Not Supported"; }
int nvmlSystemGetDriverVersion(char *text, unsigned length) { snprintf(text, length, "%s", DRIVER); return success; }
int nvmlSystemGetCudaDriverVersion(int *version) { *version = DRIVER_CUDA; return success; }
int nvmlSystemGetCudaDriverVersion_v2(int *version) { *version = DRIVER_CUDA; return success; }
int nvmlDeviceGetCount(unsigned *count) { *count = 1; return success; }
int nvmlDeviceGetCount_v2(unsigned *count) { *count = 1; return success; }
int nvmlDeviceGetHandleByIndex(unsigned index, void **device) { (void)index; *device = &gpu; return success; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) { return nvmlDeviceGetHandleByIndex(index, device); }
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device) { (void)uuid; *device = &gpu; return success; }
int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **device) { (void)id; *device = &gpu; return success; }
int nvmlDeviceGetName(void *device, char *text, unsigned length) { (void)device; snprintf(text, length, "NVIDIA H100 80GB HBM3"); return success; }
int nvmlDeviceGetUUID(void *device, char *text, unsigned length) {
  (void)device;
  snprintf(text, length, "GPU-07070707-0707-0707-0707-070707070707");
  return success;
}
int nvmlDeviceGetCudaComputeCapability(void *device, int *major, int *minor) { (void)device; *major = 9; *minor = 0; return success; }
