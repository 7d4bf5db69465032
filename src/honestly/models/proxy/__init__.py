"""The recording proxy: agents speak to it in their vendor's dialect, and it writes everything down."""
