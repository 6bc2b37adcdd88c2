import tensorflow as tf
with tf.profiler.experimental.Profile("/tmp/profile"):
    tf.linalg.matmul(tf.ones((512, 512)), tf.ones((512, 512)))
