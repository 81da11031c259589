"""Four exercises on rewards: pass@k, advantages, and the losses of GRPO and DPO."""
