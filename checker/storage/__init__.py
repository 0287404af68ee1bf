"""Files: paths that users name, the files of runs, checkpoints and exports."""
