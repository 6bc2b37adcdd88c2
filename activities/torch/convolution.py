import torch
a = torch.randn(4, 3, 64, 64, device="cuda")
torch.nn.Conv2d(3, 8, 3).cuda()(a).sum().item()
print(torch.backends.cudnn.version(), torch.version.cuda)
