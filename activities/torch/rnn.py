import torch
a = torch.randn(5, 3, 32, device="cuda")
print(torch.nn.LSTM(32, 64).cuda()(a)[0].sum().item())
