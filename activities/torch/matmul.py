import torch
a = torch.randn(512, 512, device="cuda")
(a @ a).sum().item()
