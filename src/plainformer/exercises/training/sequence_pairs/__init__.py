"""Three exercises on two languages as data: a vocabulary, a shifted target, a padded batch."""
