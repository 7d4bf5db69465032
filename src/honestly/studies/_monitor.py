"""What judges of a study cost, and where their answers are kept."""

from collections.abc import Iterable
from pathlib import Path

from honestly.errors import SettingsError
from honestly.models import Prices, default_prices, read_prices
from honestly.show import printable_text_line


def prices_of(path: str | Path | None) -> Prices:
    """The built-in prices, overridden by a file of the user.

    Raises:
        ModelError: the file cannot be read.
    """
    return default_prices() if path is None else read_prices(Path(path)).over(default_prices())


def check_prices(specs: Iterable[str], prices: Prices) -> None:
    """Whether a budget can be kept.

    Raises:
        SettingsError: the price of a model is not known.
    """
    from honestly.audit.monitor import price_known

    for spec in specs:
        if not price_known(spec, prices):
            raise SettingsError(
                f"a budget cannot be kept, because the price of {printable_text_line(spec)} is unknown; give --prices"
            )


def answers_of(study: Path) -> Path:
    """Default folder of judges' answers about a study."""
    return study.with_name(f"{study.name}.answers")
