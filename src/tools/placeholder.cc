namespace tools {}
