import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Requests that may wait behind others of their connection, on all connections together, at about 1.5 KB each. Beyond
 * it, a connection that pipelines is closed. A client that waits for each response never adds to it.
 */
const MAX_WAITING_REQUESTS = 25_000;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const pipelines = new WeakMap<Socket, Pipeline>();

/**
 * Processes the requests of a connection one at a time: the next one starts when the client has taken the response, and
 * while requests wait, the connection is not read. A client that pipelines and reads nothing costs one response.
 */
export function oneAtATime(process: RequestListener): RequestListener {
  const room = new WaitingRoom();
  return (request, response) => {
    const { socket } = request;
    let pipeline = pipelines.get(socket);
    if (pipeline === undefined) pipelines.set(socket, (pipeline = new Pipeline(socket, room, process)));
    pipeline.add({ request, response });
  };
}

/** Whether the connection can take a response to malformed HTTP now, without mixing it up with another response. */
export function takesErrorResponse(socket: Socket): boolean {
  const current = pipelines.get(socket)?.current;
  return current === undefined || !(current.request.complete || current.response.headersSent);
}

/** Counts the waiting requests of all connections. */
class WaitingRoom {
  private waiting = 0;

  enter(): boolean {
    if (this.waiting === MAX_WAITING_REQUESTS) return false;
    this.waiting += 1;
    return true;
  }

  leave(count: number): void {
    this.waiting -= count;
  }
}

/** The requests of one connection. */
class Pipeline {
  /** The request that is being processed. */
  current: Exchange | undefined;
  private readonly waiting: Exchange[] = [];

  constructor(
    private readonly socket: Socket,
    private readonly room: WaitingRoom,
    private readonly process: RequestListener,
  ) {
    socket.on('resume', this.holdBack); // Node.js resumes it to read the next body
    socket.once('close', () => room.leave(this.waiting.splice(0).length));
  }

  add(exchange: Exchange): void {
    if (this.socket.destroyed) return;
    if (this.current === undefined) this.start(exchange);
    else if (this.room.enter()) {
      this.waiting.push(exchange);
      this.holdBack();
    } else this.socket.destroy();
  }

  private start({ request, response }: Exchange): void {
    this.current = { request, response };
    response.once('close', () => {
      if (this.waiting.length === 0) this.current = undefined;
      else setImmediate(this.startNext); // after a turn of all other connections
    });
    this.process(request, response);
  }

  private readonly startNext = (): void => {
    const next = this.waiting.shift();
    if (next === undefined) return; // the connection was closed
    this.room.leave(1);
    if (this.waiting.length === 0) this.socket.resume();
    this.start(next);
  };

  private readonly holdBack = (): void => {
    if (this.waiting.length > 0) this.socket.pause();
  };
}
