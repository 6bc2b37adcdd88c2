import torch
a = torch.randn(4, 3, 64, 64, device="cuda")
print(torch.nn.Conv2d(3, 8, 3).cuda()(a).sum().item())
