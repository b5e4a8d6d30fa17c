"""What is done to text before anything is measured."""
