import { parentPort, workerData } from 'node:worker_threads';
import { Setup, SteadyLoad } from './steady-load';

/** What the thread is asked to do. It responds to each request with one message. */
export type Request = 'next period' | 'stop';

const load = new SteadyLoad(workerData as Setup);

parentPort!.on('message', (request: Request) => {
  void (request === 'stop' ? load.stop() : load.nextPeriod()).then((result) =>
    parentPort!.postMessage(result),
  );
});
