import tensorflow as tf
assert tf.config.list_physical_devices("GPU")
x, k = tf.ones((1, 32, 32, 8)), tf.ones((3, 3, 8, 8))
print(tf.reduce_sum(tf.nn.conv2d(x, k, 1, "SAME")))
