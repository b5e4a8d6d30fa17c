"""Statistics of arrays: agreement, bootstrap, classification, correlation, significance, Thurstone scores."""

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float64]
Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]
