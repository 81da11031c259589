"""Three exercises on the head: tied logits, the logit lens, a head of attention switched off."""
