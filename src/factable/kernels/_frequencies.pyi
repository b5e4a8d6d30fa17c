from factable.kernels.cider import Frequencies as Frequencies
