"""What people think of trials: review queues, labels, agreement, and what is learned from them."""

__all__: list[str] = []
