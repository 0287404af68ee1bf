"""What a step read is remembered: tries of questions and answers."""
