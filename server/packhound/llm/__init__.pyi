from .counter import TokenCounter as TokenCounter
from .counter import counter_for as counter_for
from .counter import tokenizer_of as tokenizer_of
from .prices import cost as cost
from .prices import find_model as find_model
