"""Parser processes that can be killed, the frames they exchange, and the pool that runs them."""
