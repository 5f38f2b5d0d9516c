import { constants, type ServerHttp2Stream } from "node:http2";
import { Duplex } from "node:stream";
import {
  ResponderBuilder,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  ServerListenerBuilder,
  status,
} from "@grpc/grpc-js";
import type { LargeRequests } from "./large-requests.js";
import type { ServeLimits } from "./limits.js";
import { ReceivingPlaces } from "./receiving-places.js";

/** Health checks need no place. Their messages are empty. */
const HEALTH_CHECK = /\/Server(?:Live|Ready)$/;
const HEALTH_BYTES = 1024;

/**
 * Receives calls of gRPC: each within limited time, with a fair share of the places for each connection, and all large ones within the
 * memory that they share with large requests of HTTP. The library bounds single messages only.
 */
export function receiveCalls({ requestTime, maxBody }: ServeLimits, large: LargeRequests): ServerInterceptor {
  const places = new ReceivingPlaces();
  return ({ path }, call) => {
    const { stream } = withStream(call);
    const isHealthCheck = HEALTH_CHECK.test(path);
    let length = 0;
    let stop = () => {};
    const refuse = (code: status, details: string) => {
      stop();
      call.sendStatus({ code, details });
      // The rest of the call is not read.
      stream.close(constants.NGHTTP2_NO_ERROR);
    };
    const count = (chunk: Buffer) => {
      // A first byte of 1 announces a compressed message: few bytes may become as many as a message may have.
      const isCompressed = length === 0 && chunk[0] === 1;
      length += chunk.length;
      if (isHealthCheck && length > HEALTH_BYTES) {
        refuse(status.RESOURCE_EXHAUSTED, "The message is too large: a health check is empty.");
      } else if (!large.take(stream, isCompressed ? maxBody : length)) {
        refuse(status.UNAVAILABLE, "The server is busy: it has too many large requests in memory.");
      }
    };
    const receive = () => {
      const tooSlow = () => refuse(status.DEADLINE_EXCEEDED, "The request took too long.");
      const tooMany = () => refuse(status.UNAVAILABLE, "The server is busy. Try again in a second.");
      const timer = setTimeout(tooSlow, requestTime);
      const leave = isHealthCheck ? () => {} : places.enter(stream.session ?? stream, tooMany);
      stream.on("data", count);
      stop = () => {
        clearTimeout(timer);
        leave();
        stream.off("data", count);
      };
    };
    const responder = new ResponderBuilder()
      .withStart((next) => {
        receive();
        const listener = new ServerListenerBuilder()
          .withOnReceiveHalfClose((received) => {
            stop();
            large.enter(stream, received);
          })
          .withOnCancel(() => stop());
        next(listener.build());
      })
      .withSendMessage((message, next) => {
        next(message);
        large.answered(stream);
      })
      .withSendStatus((given, next) => {
        next(given);
        large.answered(stream);
      });
    return new ServerInterceptingCall(call, responder.build());
  };
}

/** Returns a call with its stream. The library shows a message only when all of it is in memory, but its class keeps the stream. */
function withStream(call: ServerInterceptingCallInterface): { readonly stream: ServerHttp2Stream } {
  if (hasStream(call)) return call;
  throw new TypeError("The gRPC library does not give calls a stream.");
}

function hasStream(call: object): call is { readonly stream: ServerHttp2Stream } {
  return "stream" in call && call.stream instanceof Duplex;
}
