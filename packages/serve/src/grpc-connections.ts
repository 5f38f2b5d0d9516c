import { createServer, type Server, type Socket } from "node:net";
import { ConnectionLimit } from "./connection-limit.js";
import type { ServeLimits } from "./limits.js";

/** Length of the HTTP/2 client preface: "PRI * HTTP/2.0" and "SM", with line ends. */
const PREFACE_BYTES = 24;

/** Share of the descriptors for gRPC connections. A client needs one for all its calls. */
const DESCRIPTOR_SHARE = 0.25;

/**
 * Accepts gRPC connections and passes them on if they send data in time. The library limits neither silent connections
 * nor the number of connections.
 */
export class GrpcConnections {
  readonly server: Server;
  readonly #silent = new Set<Socket>();
  readonly #time: number;

  constructor({ headerTime }: ServeLimits, pass: (socket: Socket) => void) {
    this.#time = headerTime;
    const limit = new ConnectionLimit(DESCRIPTOR_SHARE);
    this.server = createServer({ noDelay: true }, (socket) => {
      socket.on("error", () => {});
      if (limit.admit(socket)) this.#wait(socket, pass);
    });
  }

  /** Stops accepting connections, and closes silent ones. */
  close(): void {
    this.server.close();
    for (const socket of this.#silent) socket.destroy();
  }

  /** Passes a connection on with its first bytes. */
  #wait(socket: Socket, pass: (socket: Socket) => void): void {
    this.#silent.add(socket);
    const timer = setTimeout(() => socket.destroy(), this.#time);
    const forget = () => {
      clearTimeout(timer);
      this.#silent.delete(socket);
    };
    const look = () => {
      const preface: Buffer | null = socket.read(PREFACE_BYTES);
      if (preface === null) return;
      forget();
      socket.off("readable", look);
      socket.unshift(preface);
      this.#destroyAfterEnd(socket);
      pass(socket);
    };
    socket.on("readable", look).once("close", forget);
  }

  /** Destroys a connection that the server has ended if the client does not end it, too. */
  #destroyAfterEnd(socket: Socket): void {
    socket.once("finish", () => {
      const timer = setTimeout(() => socket.destroy(), this.#time);
      socket.once("close", () => clearTimeout(timer));
    });
  }
}
