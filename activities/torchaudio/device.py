import torch, torchaudio
logits, targets = torch.rand(1, 4, 3, 5).cuda(), torch.ones(1, 2, dtype=torch.int32).cuda()
torchaudio.functional.rnnt_loss(logits, targets, torch.tensor([4], dtype=torch.int32).cuda(), torch.tensor([2], dtype=torch.int32).cuda())
