// Receives webhooks with a plain HTTP server and verifies them.
import { verifyWebhook, WebhookVerificationError } from 'countinghouse-client';
import { createServer } from 'node:http';

const secret = process.env['WEBHOOK_SECRET'] ?? '';

const server = createServer((request, response) => {
  const chunks: Uint8Array[] = [];
  request.on('data', (chunk: Uint8Array) => chunks.push(chunk));
  request.on('end', () => {
    verifyWebhook(Buffer.concat(chunks), request.headers, secret).then(
      (event) => {
        console.log(`Received ${event.type}`);
        if (event.type === 'transaction.succeeded') console.log(`Amount: ${event.data.object.amount}`);
        response.writeHead(204).end();
      },
      (error: unknown) => {
        if (!(error instanceof WebhookVerificationError)) throw error;
        response.writeHead(400).end(error.message);
      },
    );
  });
});
server.listen(Number(process.env['PORT'] ?? 8080), '127.0.0.1', () => {
  const address = server.address();
  console.log(`Listening on port ${typeof address === 'object' ? address?.port : address}`);
});
