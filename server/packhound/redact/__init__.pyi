from .control_characters import json_line as json_line
from .control_characters import safe_line as safe_line
from .control_characters import visible_line as visible_line
from .control_characters import visible_text as visible_text
from .control_characters import without_secrets as without_secrets
from .markers import may_add as may_add
from .redact import RedactionTimeout as RedactionTimeout
from .redact import redact as redact
