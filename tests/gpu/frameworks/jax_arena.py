"""JAX's own allocator: one arena, taken at the first use (XLA_CLIENT_MEM_FRACTION says how much of the device), or, with
XLA_PYTHON_CLIENT_PREALLOCATE=false, grown as needed. What it holds of the device is its pool_bytes."""

import os
import sys

import jax
import jax.numpy as jnp
from marks import checkpoint, made, whole

PAGE = 2 << 20


def held():
    stats = jax.devices()[0].memory_stats()
    print(stats, file=sys.stderr)
    return whole(stats.get("pool_bytes", stats["bytes_limit"]), PAGE)


def arena(name):
    jax.block_until_ready(jax.live_arrays())
    checkpoint(name, live_physical=held())


if os.environ.get("XLA_PYTHON_CLIENT_PREALLOCATE") == "false":
    weights = jnp.ones((1024, 1024), jnp.float32)
else:
    weights = made(jnp.ones((1024, 1024), jnp.float32), held())
arena("weights")
big = jnp.zeros((64, 1024, 1024), jnp.float32)
arena("big")
train = jax.jit(lambda weights, batch: weights - 0.1 * batch.mean() * jnp.tanh(weights))
for number in range(3):
    weights = train(weights, jnp.full((256, 1024), 0.5, jnp.float32))
    arena(f"step {number}")
del big
arena("big deleted")
print("sum:", float(weights.sum()))
