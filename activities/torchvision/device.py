import torch, torchvision
torchvision.ops.nms(torch.rand(4, 4).cuda(), torch.rand(4).cuda(), 0.5)
