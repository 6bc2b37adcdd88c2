import ctranslate2, numpy, sys
model = ctranslate2.models.Whisper(sys.argv[1], device="cuda")
model.encode(ctranslate2.StorageView.from_array(numpy.zeros((1, 80, 3000), numpy.float32)))
