# The habits of the house; `dev.py` says what each does.
PYTHON ?= python3

.PHONY: demo setup check fix test slow editors fuzz bench
demo setup check fix test slow editors fuzz bench:
	$(PYTHON) dev.py $@
