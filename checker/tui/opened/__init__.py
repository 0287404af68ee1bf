"""What the viewer opens: counterexamples from reports and files, and questions about their steps."""
