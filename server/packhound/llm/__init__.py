"""What a text costs a language model: its tokens, and what they are paid with."""
