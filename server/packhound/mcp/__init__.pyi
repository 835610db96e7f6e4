from .agent_configs import Agent as Agent
from .agent_configs import agents as agents
from .agent_configs import apply as apply
from .agent_configs import plan as plan
from .agent_configs import server_command as server_command
from .relay_process import relay as relay
from .server import McpSessions as McpSessions
from .server import serve_mcp as serve_mcp
