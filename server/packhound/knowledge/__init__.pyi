from .source import KnowledgeSource as KnowledgeSource
from .text_files import Stamp as Stamp
