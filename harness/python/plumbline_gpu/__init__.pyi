"""What type checkers see of the package: __init__.py imports each name on first use."""

from ._csv_files import ReadError as ReadError
from ._tensor_file import save_tensors as save_tensors
from .bench import do_bench as do_bench
from .benchmark import Benchmark as Benchmark
from .capture import phase as phase
from .capture import step as step
from .measurement import Result as Result
from .measurement import measure as measure
from .pairs import Comparison as Comparison
from .pairs import compare as compare
from .runs import Run as Run
from .runs import read_run as read_run
from .suites import case as case
from .suites import device as device
from .tables import Table as Table

__version__: str
__all__: list[str]
