import cupy
f = cupy.RawKernel('extern "C" __global__ void f(float* x) { x[threadIdx.x] = 1; }', "f")
x = cupy.zeros(32, cupy.float32)
f((1,), (32,), (x,))
print(x.sum())
