"""`python -m studies.validation`."""

import sys

from .validating import main

sys.exit(main())
