"""In which order to deploy services that need each other."""
