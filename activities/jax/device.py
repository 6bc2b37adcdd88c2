import jax
assert jax.devices()[0].platform == "gpu"
