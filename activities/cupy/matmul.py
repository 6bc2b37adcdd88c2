import cupy
a = cupy.ones((512, 512))
print((a @ a).sum())
