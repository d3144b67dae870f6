"""The report site on disk: pages of problems and iterations, made anew only where their cells changed, and the index of all."""
