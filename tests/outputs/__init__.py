"""What is written is never lost, never half, never over another file unasked."""
