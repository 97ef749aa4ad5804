"""The folder itself is importable, so that tests share the scripted pilot."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
