"""The interactive viewer: what its panes show is plain data; only `app`, `panes`, `screens` and `ink` know textual."""

import os

# Other keys send what begins with an escape, so that after one it is waited for more: so many milliseconds, of which
# textual's hundred can be felt. A terminal sends a key in one piece, and ssh keeps it in one packet, so that a quarter
# is enough. Textual reads the variable, which curses knows too, when it is imported.
os.environ.setdefault("ESCDELAY", "25")
