import jax, jax.numpy as jnp
from jax.experimental import rnn
x, state, key = jnp.ones((2, 5, 8)), jnp.zeros((1, 2, 16)), jax.random.key(0)
weights, lengths = rnn.init_lstm_weight(key, 8, 16, 1, False), jnp.full((2,), 5, dtype=jnp.int32)
print(rnn.lstm(x, state, state, weights, lengths, 8, 16, 1, 0.0, False)[0].sum(), jax.devices())
