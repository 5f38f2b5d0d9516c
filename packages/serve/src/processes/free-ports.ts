import { once } from "node:events";
import { createServer } from "node:net";
import type { ServeOptions } from "../serve-options.js";

/**
 * Puts free ports in place of port 0. If workers listened on port 0, those that replace the last ones to end would get other ports than
 * the server has announced.
 */
export async function withFreePorts(options: ServeOptions): Promise<ServeOptions> {
  const { host = "127.0.0.1", port, grpcPort } = options;
  const servers = [createServer(), createServer()];
  try {
    const [http, grpc] = await Promise.all(
      servers.map(async (server) => {
        server.listen(0, host);
        await once(server, "listening");
        const address = server.address();
        return typeof address === "object" && address ? address.port : 0;
      }),
    );
    return { ...options, port: port || http, ...(grpcPort !== undefined && { grpcPort: grpcPort || grpc }) };
  } catch {
    // A worker says what is wrong with the address.
    return options;
  } finally {
    for (const server of servers) server.close();
  }
}
