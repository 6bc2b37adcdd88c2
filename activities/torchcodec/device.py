import sys
from torchcodec.decoders import VideoDecoder
VideoDecoder(sys.argv[1])[0]
