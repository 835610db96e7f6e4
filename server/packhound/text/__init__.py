"""What text is, where it comes from, and the terms it is made of."""
