/* A driver for tests alone, as libcuda.so.1: it finds one H100, gives contexts, streams and memory, and refuses all that would run something
   with CUDA_ERROR_NOT_SUPPORTED. So frameworks get as far as they do before anything needs a GPU. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { success = 0, invalid_value = 1, out_of_memory = 2, no_device = 101, no_context = 201, not_supported = 801 };

static int refused(void) { return not_supported; }

/* Real ones are tens of megabytes, and a small one is rightly called a stub. */
const char padding[32 << 20] = { 1 };

#define OTHER(name) int name(void) { return refused(); }
#include "driver-functions.h"
#undef OTHER

int cuInit(unsigned flags) { return flags == 0 ? success : invalid_value; }
int cuDriverGetVersion(int *version) { *version = DRIVER_CUDA; return success; }

int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status) {
  static void *self;
  char full[160];
  static const char *const suffixes[] = { "_v2", "" };
  if (self == NULL) self = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  *function = NULL;
  (void)version, (void)flags;
  for (int n = 0; self != NULL && *function == NULL && n < 2; n++) {
    snprintf(full, sizeof full, "%s%s", name, suffixes[n]);
    *function = dlsym(self, full);
  }
  if (*function == NULL) *function = (void *)refused;
  if (status != NULL) *status = 0;
  return success;
}
int cuGetProcAddress(const char *name, void **function, int version, uint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, NULL);
}

/* NVIDIA's runtime asks for tables of its own, which only NVIDIA's driver has: there it is told that this is not supported. */
int cuGetExportTable(const void **table, const void *id) { (void)id; *table = NULL; return not_supported; }

int cuGetErrorName(int error, const char **text) { *text = error == success ? "CUDA_SUCCESS" : "CUDA_ERROR_NOT_SUPPORTED"; return success; }
int cuGetErrorString(int error, const char **text) {
  *text = error == success ? "no error" : "operation not supported (by the driver for tests)";
  return success;
}

int cuDeviceGetCount(int *count) { *count = 1; return success; }
int cuDeviceGet(int *device, int ordinal) { *device = 0; return ordinal == 0 ? success : no_device; }
int cuDeviceGetName(char *name, int length, int device) { (void)device; snprintf(name, length, "NVIDIA H100 80GB HBM3"); return success; }
int cuDeviceGetUuid(char uuid[16], int device) { (void)device; memset(uuid, 7, 16); return success; }
int cuDeviceGetUuid_v2(char uuid[16], int device) { return cuDeviceGetUuid(uuid, device); }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { (void)device; *bytes = (size_t)80 << 30; return success; }
int cuDeviceTotalMem(size_t *bytes, int device) { return cuDeviceTotalMem_v2(bytes, device); }
int cuDeviceComputeCapability(int *major, int *minor, int device) { (void)device; *major = 9; *minor = 0; return success; }
int cuDeviceGetPCIBusId(char *id, int length, int device) { (void)device; snprintf(id, length, "0000:1B:00.0"); return success; }
int cuDeviceGetByPCIBusId(int *device, const char *id) { (void)id; *device = 0; return success; }

/* CUdevice_attribute, as far as somebody computes with it. */
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  switch (attribute) {
    case 1: case 2: case 3: *value = 1024; break; /* threads of a block */
    case 4: *value = 64; break;
    case 5: *value = 2147483647; break; /* blocks of a grid */
    case 6: case 7: *value = 65535; break;
    case 8: *value = 49152; break; /* shared memory */
    case 9: *value = 65536; break;
    case 10: *value = 32; break; /* warp */
    case 12: case 82: *value = 65536; break; /* registers */
    case 13: *value = 1980000; break;
    case 16: *value = 132; break; /* multiprocessors */
    case 33: *value = 0x1b; break; /* PCI bus */
    case 36: *value = 2619000; break;
    case 37: *value = 5120; break;
    case 38: *value = 50 << 20; break; /* L2 */
    case 39: *value = 2048; break; /* threads of a multiprocessor */
    case 40: *value = 3; break;
    case 41: *value = 1; break; /* unified addresses */
    case 75: *value = 9; break; /* compute capability */
    case 76: *value = 0; break;
    case 81: *value = 233472; break;
    case 97: *value = 232448; break;
    case 106: *value = 32; break;
    default: *value = 0;
  }
  return success;
}

/* One context, whose streams and events are names and whose memory is the machine's own. Nothing runs in it. */
static int made, active;
static __thread void *current;

int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *is_active) { (void)device; *flags = 0; *is_active = active; return success; }
int cuDevicePrimaryCtxRetain(void **context, int device) { (void)device; active = 1; *context = &made; return success; }
int cuDevicePrimaryCtxRelease_v2(int device) { (void)device; return success; }
int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) { (void)device, (void)flags; return success; }
int cuCtxCreate_v2(void **context, unsigned flags, int device) { (void)flags, (void)device; current = *context = &made; return success; }
int cuCtxDestroy_v2(void *context) { (void)context; return success; }
int cuCtxGetCurrent(void **context) { *context = current; return success; }
int cuCtxSetCurrent(void *context) { current = context; return success; }
int cuCtxPushCurrent_v2(void *context) { current = context; return success; }
int cuCtxPopCurrent_v2(void **context) { if (context != NULL) *context = current; current = NULL; return success; }
int cuCtxGetDevice(int *device) { *device = 0; return current == NULL ? no_context : success; }
int cuCtxGetApiVersion(void *context, unsigned *version) { (void)context; *version = 3020; return success; }
int cuCtxSynchronize(void) { return success; }
int cuCtxGetStreamPriorityRange(int *least, int *greatest) { *least = 0; *greatest = -5; return success; }
int cuStreamCreate(void **stream, unsigned flags) { (void)flags; *stream = &made; return success; }
int cuStreamCreateWithPriority(void **stream, unsigned flags, int priority) { (void)priority; return cuStreamCreate(stream, flags); }
int cuStreamDestroy_v2(void *stream) { (void)stream; return success; }
int cuStreamSynchronize(void *stream) { (void)stream; return success; }
int cuStreamQuery(void *stream) { (void)stream; return success; }
int cuStreamWaitEvent(void *stream, void *event, unsigned flags) { (void)stream, (void)event, (void)flags; return success; }
int cuEventCreate(void **event, unsigned flags) { (void)flags; *event = &made; return success; }
int cuEventDestroy_v2(void *event) { (void)event; return success; }
int cuEventRecord(void *event, void *stream) { (void)event, (void)stream; return success; }
int cuEventQuery(void *event) { (void)event; return success; }
int cuEventSynchronize(void *event) { (void)event; return success; }
int cuMemGetInfo_v2(size_t *free, size_t *total) { *free = *total = (size_t)80 << 30; return success; }
int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  *address = (uint64_t)memory;
  return memory == MAP_FAILED ? out_of_memory : success;
}
int cuMemFree_v2(uint64_t address) { (void)address; return success; }
int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) { (void)flags; return cuMemAlloc_v2((uint64_t *)memory, bytes); }
int cuMemFreeHost(void *memory) { (void)memory; return success; }
int cuMemHostRegister_v2(void *memory, size_t bytes, unsigned flags) { (void)memory, (void)bytes, (void)flags; return success; }
int cuMemHostUnregister(void *memory) { (void)memory; return success; }
