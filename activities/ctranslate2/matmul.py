import ctranslate2, sys
ctranslate2.Translator(sys.argv[1], device="cuda").translate_batch([["a"]])
