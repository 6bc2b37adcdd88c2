import ctranslate2
assert ctranslate2.get_cuda_device_count()
