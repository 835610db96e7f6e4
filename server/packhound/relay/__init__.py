"""Connections to the process that has a folder's index, which is started if need be.

Standard library only, and no lazy faces: a relay is a whole process of some seven megabytes. Two of
them were `typing` and `dataclasses`, which only type checkers import here.
"""

from packhound.relay.address import ServerAddress as ServerAddress
from packhound.relay.address import address_file as address_file
from packhound.relay.address import bind_listener as bind_listener
from packhound.relay.address import read_address as read_address
from packhound.relay.address import remove_address as remove_address
from packhound.relay.address import write_address as write_address
from packhound.relay.connection import ACCEPTED as ACCEPTED
from packhound.relay.connection import NOT_ALLOWED as NOT_ALLOWED
from packhound.relay.connection import UNKNOWN_OUTCOME as UNKNOWN_OUTCOME
from packhound.relay.connection import WRITING as WRITING
from packhound.relay.connection import Connection as Connection
from packhound.relay.editors import EditorTexts as EditorTexts
from packhound.relay.editors import mark_editor as mark_editor
from packhound.relay.editors import relaying_editors as relaying_editors
from packhound.relay.engine_process import MCP_RELAY as MCP_RELAY
from packhound.relay.engine_process import RESUMED as RESUMED
from packhound.relay.engine_process import RETIRE as RETIRE
from packhound.relay.engine_process import EngineSessions as EngineSessions
from packhound.relay.engine_process import command_line as command_line
from packhound.relay.liveness import SILENCE_S as SILENCE_S
from packhound.relay.relay import Message as Message
from packhound.relay.relay import Relay as Relay
from packhound.relay.streams import SocketStream as SocketStream
from packhound.relay.streams import Stdio as Stdio
