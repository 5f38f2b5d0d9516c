/** A client of the Open Inference Protocol over gRPC, for scripts. */
import { fileURLToPath } from "node:url";
import { credentials, makeGenericClientConstructor } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

const definitions = loadSync(fileURLToPath(new URL("inference.proto", import.meta.url)), { keepCase: true });
const Client = makeGenericClientConstructor(definitions["inference.GRPCInferenceService"]);

/** Calls methods of a server; a failed call rejects with an error that has the gRPC status as `code`. */
export class GrpcClient {
  #client;

  constructor(target) {
    this.#client = new Client(target, credentials.createInsecure());
  }

  call(method, request, milliseconds) {
    return new Promise((resolve, reject) => {
      const options = { deadline: Date.now() + milliseconds };
      this.#client[method](request, options, (error, answer) => (error ? reject(error) : resolve(answer)));
    });
  }

  close() {
    this.#client.close();
  }
}
