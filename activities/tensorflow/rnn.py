import tensorflow as tf
x = tf.ones((2, 5, 8))
print(tf.reduce_sum(tf.keras.layers.LSTM(16)(x)), tf.config.list_physical_devices("GPU"))
