"""`python -m holdfast` is the program `holdfast`."""

from .cli import main

if __name__ == "__main__":
    main()
