# The habits of the house; `dev.py` says what each does.
PYTHON ?= python3

.PHONY: demo setup check fix test slow editors fuzz torture soak figures docs
demo setup check fix test slow editors fuzz torture soak figures docs:
	$(PYTHON) dev.py $@
