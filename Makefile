# The habits of the house; `dev.py` says what each does.
PYTHON ?= python3

.PHONY: demo setup check fix test slow editors fuzz torture soak bench
demo setup check fix test slow editors fuzz torture soak bench:
	$(PYTHON) dev.py $@
