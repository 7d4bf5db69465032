"""The site `company`: four applications of a small company under one login."""
