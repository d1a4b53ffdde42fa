namespace mcp {}
