from .commits import CommitsSource as CommitsSource
from .skill_files import SKILL_DEFAULTS as SKILL_DEFAULTS
from .skill_files import SKILL_FIELDS as SKILL_FIELDS
from .skills import SKILLS_FILE as SKILLS_FILE
from .skills import SkillsSource as SkillsSource
from .skills import record_skill as record_skill
from .source import KnowledgeSource as KnowledgeSource
from .text_files import Stamp as Stamp
