"""Files that embedders read; see NOTICE for where they come from."""
