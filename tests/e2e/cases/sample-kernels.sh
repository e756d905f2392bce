# Given every kernel of the sample, when it runs on the device, then it agrees with its CPU reference.
# On a GPU gpu/check.sh runs it by itself.
sim_only
plain "$samples/check-kernels"
cat out
expect_status 0
expect_equal "kernels" "20 passed, 0 failed" "$(tail -n 1 out)"
