"""Other people's layouts of tasks, one file a layout."""
