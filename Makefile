# The habits of the house; `dev.py` says what each does.
PYTHON ?= python3

.PHONY: demo setup check fix test slow editors fuzz torture soak figures
demo setup check fix test slow editors fuzz torture soak figures:
	$(PYTHON) dev.py $@
