"""Images as files beside an exported trajectory, named after their content, so that the same image is written once."""

from hashlib import blake2b

from honestly.records import Picture

SUFFIXES = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp"}
"""The kinds of images that the formats know, and how their files end."""


def image_path(image: Picture, files: dict[str, bytes]) -> str:
    """The path of an image, relative to the trajectory; what has data is added to the files that are to be written."""
    if not image.data:
        return image.path
    name = blake2b(image.data, digest_size=16).hexdigest()
    path = f"images/{name}.{SUFFIXES.get(image.media_type, 'bin')}"
    files[path] = image.data
    return path
