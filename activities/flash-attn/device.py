import torch, flash_attn
q = torch.rand(1, 16, 2, 64).cuda().half()
flash_attn.flash_attn_func(q, q, q)
