import jax, jax.numpy as jnp
x = jnp.ones((512, 512))
with jax.profiler.trace("/tmp/profile"):
    (x @ x).block_until_ready()
