"""Three exercises on temperature: by powers, with both ends right, and found from an entropy."""
