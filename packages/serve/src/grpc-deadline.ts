import {
  ResponderBuilder,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
  status,
} from "@grpc/grpc-js";

/** Calls that are being received at the same time, each of which may need memory for the largest message. */
const MOST_RECEIVING = 64;

/** Makes clients send each call within so many milliseconds, and refuses calls while too many are being received. */
export function receiveDeadline(milliseconds: number): ServerInterceptor {
  let receiving = 0;
  return (_method, call) => {
    let stop = () => {};
    const responder = new ResponderBuilder().withStart((next) => {
      if (receiving >= MOST_RECEIVING) {
        call.sendStatus({ code: status.UNAVAILABLE, details: "The server is busy. Try again in a second." });
        return;
      }
      receiving++;
      const timer = setTimeout(() => {
        stop();
        call.sendStatus({ code: status.DEADLINE_EXCEEDED, details: "The request took too long." });
      }, milliseconds);
      stop = () => {
        clearTimeout(timer);
        receiving--;
        stop = () => {};
      };
      const listener = new ServerListenerBuilder()
        .withOnReceiveHalfClose((received) => {
          stop();
          received();
        })
        .withOnCancel(() => stop());
      next(listener.build());
    });
    return new ServerInterceptingCall(call, responder.build());
  };
}
