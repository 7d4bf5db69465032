"""The client for servers that speak OpenAI's chat completions."""
