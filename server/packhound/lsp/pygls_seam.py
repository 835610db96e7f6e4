"""Everything that Packhound takes from, and changes in, pygls' protocol class.

pygls 2.1 reads stdin in its own thread pool, cannot cancel a handler that runs, answers no request
whose params do not structure, and mirrors documents with `str.splitlines`, which is not how LSP
counts lines. So the session (`packhound.rpc`) and documents are ours. pygls stays for what is
large, dull and follows the specification: the registry of features and commands, the server
capabilities that are derived from it, the typed requests of `LanguageServer`, and the converter
between JSON and lsprotocol's classes. Writing those anew would be some 1,500 lines for no user.

pygls sends everything through `notify` and `send_request`; both are overridden here, so its writer
and its book-keeping of futures are never used. No private name of pygls is read or overridden.
`tests/lsp/test_pygls_seam.py` pins that, and fails with the name of what has moved.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs
import cattrs
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams, JsonRpcMethodNotFound
from pygls.protocol import LanguageServerProtocol

from packhound.rpc import MessageId, Params, Session, then

if TYPE_CHECKING:
    from packhound.lsp.language_server import PackhoundServer

# Params that stay as they came: positions beyond the end of a document are legal for our buffers,
# and structuring a long text would cost more than applying it.
UNSTRUCTURED = frozenset(
    {
        types.TEXT_DOCUMENT_DID_OPEN,
        types.TEXT_DOCUMENT_DID_CHANGE,
        types.TEXT_DOCUMENT_DID_SAVE,
        types.TEXT_DOCUMENT_DID_CLOSE,
        types.NOTEBOOK_DOCUMENT_DID_OPEN,
        types.NOTEBOOK_DOCUMENT_DID_CHANGE,
        types.NOTEBOOK_DOCUMENT_DID_SAVE,
        types.NOTEBOOK_DOCUMENT_DID_CLOSE,
        types.CANCEL_REQUEST,
    }
)
# pygls' own handlers of these maintain its mirror of the documents, or call commands otherwise.
REPLACED = UNSTRUCTURED | {types.WORKSPACE_EXECUTE_COMMAND}


class PyglsSeam(LanguageServerProtocol):
    """pygls' registry, types and capabilities over a session that is not pygls'."""

    rpc: Session

    def __init__(self, server: PackhoundServer, converter: cattrs.Converter) -> None:
        super().__init__(server, converter)
        self.server, self.converter = server, converter

    def find_handler(self, method: str) -> Callable[..., object]:
        """Return pygls' handler of a method, else ours; raises JsonRpcMethodNotFound."""
        builtin: Callable[..., object] | None = self.fm.builtin_features.get(method)
        feature: Callable[..., object] | None = self.fm.features.get(method)
        handler = feature or builtin if method in REPLACED else builtin or feature
        if handler is None:
            raise JsonRpcMethodNotFound.of(method)
        return handler

    def structure_params(self, method: str, params: object) -> object:
        """Return params as lsprotocol's class, or as they came; raises JsonRpcInvalidParams."""
        plain = object_params(method, params)
        kinds: tuple[Any, ...] = types.METHOD_TO_TYPES.get(method, (None, None, None))
        if kinds[2] is None or method in UNSTRUCTURED:
            return plain
        try:
            return self.converter.structure(plain, kinds[2])
        except Exception as error:
            # cattrs raises what the structured classes raise, which may be anything.
            reasons = "; ".join(cattrs.transform_error(error, path="params"))
            raise JsonRpcInvalidParams(f"{method}: {reasons}") from error

    def unstructure_result(self, method: str, result: object) -> object:
        """Return a handler's result as JSON values; those of commands are JSON already."""
        is_json = method == types.WORKSPACE_EXECUTE_COMMAND
        return result if is_json else self.converter.unstructure(result)

    def notify(self, method: str, params: object = None) -> None:
        """Send a notification."""
        self.rpc.notify(method, self.converter.unstructure(params))

    def send_request(
        self,
        method: str,
        params: object = None,
        callback: Callable[[Any], None] | None = None,
        msg_id: MessageId | None = None,
    ) -> Future[Any]:
        """Send a request; the future has the client's result, or an error."""
        assert msg_id is None, "ids of the server's requests are its own"
        answer = self.rpc.request(method, self.converter.unstructure(params))
        future = then(answer, partial(self._structure_result, method))
        if callback is not None:
            future.add_done_callback(lambda done: callback(done.result()))
        return future

    def _structure_result(self, method: str, result: object) -> object:
        response = self.get_result_type(method)
        kind: Any = attrs.fields_dict(response)["result"].type if response else Any
        return self.converter.structure(result, kind)


def object_params(method: str, params: object) -> Params:
    """Return the params of a message as an object; raises JsonRpcInvalidParams."""
    # Lua clients send an empty object as an empty list.
    if params is None or params == []:
        return {}
    if not isinstance(params, dict):
        raise JsonRpcInvalidParams(f"the params of {method} are {params!r:.80}, not an object")
    return params
