include tests/simcuda/rules.mk
