"""`python -m packhound` is the command `packhound`."""

from packhound.cli import main

if __name__ == "__main__":
    main()
