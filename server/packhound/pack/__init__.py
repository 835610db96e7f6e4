"""A prompt and a budget of tokens become the code that a language model should read."""
