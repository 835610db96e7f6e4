"""`python -m packhound` is the command `packhound`."""

from packhound.cli import run

if __name__ == "__main__":
    run()
