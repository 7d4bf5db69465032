"""Images: root file systems with a configuration, kept in a store, and built from Dockerfiles in our own sandbox.

    image = add_image(Path("base.tar"), "debian:12")  # an archive of another engine, or a directory
    image = await build_image(Path("task/environment"), name="task")
    async with open_sandbox(tree, layout=Layout(root=image.root)) as box:
        await box.exec("make", env=image.env, cwd=image.workdir)

No engine, no daemon and no root is needed. See docs/images.md.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.sandbox.images._archive import add_image as add_image
    from honestly.sandbox.images._build import build_image as build_image
    from honestly.sandbox.images._changes import changes_without as changes_without
    from honestly.sandbox.images._model import ImageError as ImageError, ImageSize as ImageSize, RootImage as RootImage
    from honestly.sandbox.images._open import (
        SERVICES_FOLDER as SERVICES_FOLDER,
        ImageSandbox as ImageSandbox,
        SandboxSettings as SandboxSettings,
        machine_trust as machine_trust,
        open_image as open_image,
    )
    from honestly.sandbox.images._paths import user_ids as user_ids
    from honestly.sandbox.images._run import StepError as StepError
    from honestly.sandbox.images._store import (
        ImageStore as ImageStore,
        find_image as find_image,
        list_images as list_images,
        remove_image as remove_image,
    )
    from honestly.sandbox.images._wanted import (
        has_shell as has_shell,
        images_wanted as images_wanted,
        stands_on_nothing as stands_on_nothing,
    )


__getattr__, __dir__ = lazy_exports(__name__)
