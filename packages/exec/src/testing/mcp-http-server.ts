import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

/** An MCP server over HTTP with one tool, `ping`, that wants the given authorization; without it every request is refused. */
export async function startMcpHttpServer(authorization: string) {
  const server = createServer((request, response) => {
    if (request.headers.authorization !== authorization) {
      response.writeHead(401).end("who are you?");
      return;
    }
    const mcp = new McpServer({ name: "fixture", version: "1.0.0" });
    mcp.registerTool("ping", { description: "Answers", inputSchema: {} }, () => ({
      content: [{ type: "text", text: "pong" }],
    }));
    // Without a session id: each request stands for itself.
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true } as never);
    response.on("close", () => void transport.close());
    void mcp.connect(transport as never).then(() => transport.handleRequest(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
