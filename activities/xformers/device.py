import torch, xformers.ops
layer = xformers.ops.SwiGLU(64, 128, 64).cuda().half()
layer(torch.rand(8, 64).cuda().half())
