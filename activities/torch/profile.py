import torch
from torch.profiler import profile, ProfilerActivity
a = torch.randn(512, 512, device="cuda")
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as p:
    (a @ a).sum().item()
assert any(e.device_type == torch.autograd.DeviceType.CUDA for e in p.events())
