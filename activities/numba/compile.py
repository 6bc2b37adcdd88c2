from numba import cuda
import numpy as np
f = cuda.jit(lambda x: None)
f[1, 32](np.zeros(32))
cuda.synchronize()
