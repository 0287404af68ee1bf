"""What models promise in `expect.yaml`, and the runs that put it to the test."""
