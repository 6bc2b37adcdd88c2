import faster_whisper, sys
list(faster_whisper.WhisperModel(sys.argv[1], device="cuda").transcribe(sys.argv[2])[0])
