import onnxruntime, sys
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CUDAExecutionProvider"])
assert session.get_providers()[0] == "CUDAExecutionProvider"
