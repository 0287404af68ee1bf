"""The interactive viewer: what its panes show is plain data; only `app`, `panes`, `screens` and `ink` know textual."""
