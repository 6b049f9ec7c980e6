import cluster from 'node:cluster';

/**
 * Resolves at the first signal to stop. Further signals have no effect. A server process also stops when its parent has
 * ended, which would otherwise end it in the middle of its requests.
 */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.on('SIGTERM', () => resolve());
    process.on('SIGINT', () => resolve());
    const { worker } = cluster;
    worker?.once('disconnect', () => {
      worker.exitedAfterDisconnect = true; // otherwise Node.js exits at once
      resolve();
    });
  });
}
