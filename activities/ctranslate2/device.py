import ctranslate2
assert 0 < ctranslate2.get_cuda_device_count()
