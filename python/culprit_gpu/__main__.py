"""``python -m culprit_gpu`` is the command ``culprit``."""

from ._command import main

main()
