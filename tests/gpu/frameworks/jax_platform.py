"""JAX with XLA_PYTHON_CLIENT_ALLOCATOR=platform: each buffer is taken from the driver, in whole pages of 2 MiB."""

import gc
import sys
import time

import jax
import jax.numpy as jnp
from marks import checkpoint, made, whole

PAGE = 2 << 20


def arrays(name):
    jax.block_until_ready(jax.live_arrays())
    gc.collect()
    time.sleep(0.05)  # buffers are given back once their last use has ended, by another thread
    checkpoint(name, live_physical=sum(whole(array.nbytes, PAGE) for array in jax.live_arrays()))


def step(weights, batch):
    return weights - 0.1 * batch.mean() * jnp.tanh(weights)


print("memory_stats:", jax.devices()[0].memory_stats(), file=sys.stderr)
arrays("start")
weights = made(jnp.ones((1024, 1024), jnp.float32), 4 << 20)
batch = made(jnp.full((256, 1024), 0.5, jnp.float32), 2 << 20)
arrays("made")
odd = made(jax.device_put(jnp.zeros((3, 1000, 1000), jnp.float32)), whole(12_000_000, PAGE))
arrays("odd size")
train = jax.jit(step)
for number in range(3):
    weights = train(weights, batch)
    arrays(f"step {number}")
del odd
arrays("odd size deleted")
product = batch @ weights
arrays("product")
print("sum:", float(product[0, 0]))
