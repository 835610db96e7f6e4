from .changes import ChangedDefinition as ChangedDefinition
from .changes import ChangeSet as ChangeSet
from .changes import describe_changes as describe_changes
from .related_files import RelatedFile as RelatedFile
from .symbol import Link as Link
from .symbol import Symbol as Symbol
from .symbol import definitions_named as definitions_named
from .symbol import describe_symbol as describe_symbol
