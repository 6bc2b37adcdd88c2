import jax.numpy as jnp
x = jnp.ones((512, 512))
(x @ x).block_until_ready()
