"""Sources that can only be asked, described by settings alone: any MCP server, any search over HTTP."""
