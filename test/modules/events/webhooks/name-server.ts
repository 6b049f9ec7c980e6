import { createSocket, RemoteInfo, Socket } from 'node:dgram';
import { once } from 'node:events';

const TYPE_A = 1;
const CLASS_IN = 1;
const HEADER_BYTES = 12;
/** A pointer to the name of the question, which begins after the header. */
const NAME_OF_QUESTION = Buffer.from([0xc0, HEADER_BYTES]);

/** A name server on the loopback interface, whose IPv4 addresses may change with each look-up. They live for 0 seconds. */
export class NameServer {
  /** The look-ups of IPv4 addresses. */
  lookUps = 0;

  private constructor(
    private readonly socket: Socket,
    private readonly addresses: (lookUp: number) => readonly string[],
  ) {
    socket.on('message', (query, from) => this.respond(query, from));
  }

  /** @param addresses of every name, by the number of the look-up, which begins with 1 */
  static async start(addresses: (lookUp: number) => readonly string[]): Promise<NameServer> {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new NameServer(socket, addresses);
  }

  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  stop(): void {
    this.socket.close();
  }

  private respond(query: Buffer, { port, address }: RemoteInfo): void {
    const endOfName = query.indexOf(0, HEADER_BYTES) + 1;
    const question = query.subarray(HEADER_BYTES, endOfName + 4);
    const isA = query.readUInt16BE(endOfName) === TYPE_A;
    const answers = isA ? this.addresses((this.lookUps += 1)).map(recordOf) : [];
    const header = Buffer.from(query.subarray(0, HEADER_BYTES));
    header.writeUInt16BE(0x8180, 2); // a response without an error
    header.writeUInt16BE(answers.length, 6);
    header.fill(0, 8); // no other sections
    this.socket.send(Buffer.concat([header, question, ...answers]), port, address);
  }
}

function recordOf(address: string): Buffer {
  const fields = Buffer.alloc(10);
  fields.writeUInt16BE(TYPE_A, 0);
  fields.writeUInt16BE(CLASS_IN, 2);
  fields.writeUInt16BE(4, 8); // bytes of the address
  return Buffer.concat([NAME_OF_QUESTION, fields, Buffer.from(address.split('.').map(Number))]);
}
