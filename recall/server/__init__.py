"""The MCP server: the same engine for agents. The only room that imports mcp; it is imported when it is asked for."""
