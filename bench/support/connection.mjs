import { connect } from 'node:net';

/** One HTTP connection with one request at a time. Node's own client would use too much of the machine. */
export class Connection {
  constructor(port) {
    this.received = '';
    this.socket = connect(port, 'localhost');
    this.socket.setNoDelay(true);
    this.socket.setEncoding('utf8');
    this.socket.on('data', (text) => this.receive(text));
    this.socket.on('error', (error) => this.waiting?.reject(error));
    this.socket.on('close', () => this.waiting?.reject(new Error('The service closed the connection.')));
  }

  /** False once the server has closed the connection. */
  get open() {
    return !this.socket.destroyed && !this.socket.readableEnded;
  }

  /** @returns the status and the text of the response */
  call({ method, path, body, token, key }) {
    const text = body ? JSON.stringify(body) : '';
    const lines = [
      `${method} ${path} HTTP/1.1`,
      'Host: localhost',
      ...(body ? ['Content-Type: application/json', `Content-Length: ${text.length}`] : []),
      ...(token ? [`Authorization: Bearer ${token}`] : []),
      ...(key ? [`Idempotency-Key: ${key}`] : []),
    ];
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      if (!this.open) reject(new Error('The connection is closed.'));
      this.socket.write(`${lines.join('\r\n')}\r\n\r\n${text}`);
    });
  }

  /** @returns the text of a successful response; throws for any other */
  async send(request) {
    const { status, text } = await this.call(request);
    if (status >= 300) throw new Error(`${request.method} ${request.path} returned ${status}: ${text}`);
    return text;
  }

  receive(text) {
    this.received += text;
    const [head, body] = this.received.split('\r\n\r\n', 2);
    if (body === undefined || body.length < Number(/^content-length: (\d+)/im.exec(head)[1])) return;
    const { resolve } = this.waiting;
    this.received = '';
    this.waiting = undefined;
    resolve({ status: Number(head.split(' ', 2)[1]), text: body });
  }

  end() {
    this.socket.destroy();
  }
}
