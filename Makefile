# The habits of the house; `dev.py` says what each does.
PYTHON ?= python3

.PHONY: demo setup check fix test slow editors bench
demo setup check fix test slow editors bench:
	$(PYTHON) dev.py $@
