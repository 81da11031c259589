"""Four exercises on assistants: a template, a masked loss, and LoRA's start and gradients."""
