"""What a run says of the model itself: what never ran, what was never put to the test, why an action never starts."""
