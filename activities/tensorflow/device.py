import tensorflow as tf
assert tf.config.list_physical_devices("GPU")
