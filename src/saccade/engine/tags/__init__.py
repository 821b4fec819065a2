"""Tags: names that people give to pictures, their own and those that several agree on."""
