"""Four exercises on long texts: squeezed positions, slow pairs, a mask with sinks, and a needle."""
