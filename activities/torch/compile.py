import torch
f = torch.compile(lambda x: (x * 2 + 1).sin().sum())
f(torch.randn(1000, device="cuda")).item()
