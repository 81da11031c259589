"""Three exercises on norms and residuals: LayerNorm by its steps, RMSNorm, a pre-norm block."""
