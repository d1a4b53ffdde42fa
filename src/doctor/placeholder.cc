namespace doctor {}
