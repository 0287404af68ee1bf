"""The nouns: properties, limits, findings, traces, reports. They know nothing of how states are found."""
