"""A group of commands that reports errors in one line, in the words of its options."""

from __future__ import annotations

import re
from typing import Any

import click

from packhound import redact
from packhound.core.errors import SEVERAL_LINES, PackhoundError
from packhound.core.log import log

_FIELD = re.compile(r"^(?:argument )?'(\w+)'")


class ReportingGroup(click.Group):
    """Turns errors into one line on stderr and exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's own signature
        """Run a command."""
        try:
            return super().invoke(ctx)
        except PackhoundError as error:
            log.error("%s: %s", ctx.invoked_subcommand, str(error).partition("\n")[0])
            message = self._with_options(ctx, str(error))
            raise click.UsageError(_visible(message)) from None
        except click.UsageError as error:
            # A shell puts names of files where it finds a `*`.
            message = _visible(error.message)
            if "unexpected extra argument" in message:
                message += "; quote a query of several words, and name a folder by --root"
            elif message == error.message:
                raise
            raise click.UsageError(message, error.ctx) from None
        except BrokenPipeError:
            raise  # The reader has closed the pipe, which is no error.
        except OSError as error:
            log.exception("%s failed", ctx.invoked_subcommand)
            raise click.ClickException(_visible(str(error))) from None
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception:
            log.exception("%s failed", ctx.invoked_subcommand)
            raise

    def _with_options(self, ctx: click.Context, message: str) -> str:
        """Return a message that names an option in place of the field of a request."""
        command = self.get_command(ctx, ctx.invoked_subcommand or "")
        names = {
            parameter.name: max(parameter.opts, key=len)
            if isinstance(parameter, click.Option)
            else parameter.human_readable_name
            for parameter in (command.params if command else ())
        }
        message = message.replace("merge (three-way)", "merge with --three-way")
        return _FIELD.sub(lambda field: names.get(field[1], field[0]), message)


def _visible(message: str) -> str:
    shown = redact.visible_text if message.startswith(SEVERAL_LINES) else redact.visible_line
    return shown(message)
