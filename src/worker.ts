import { runCommand, say } from './command';
import { Sweeps } from './platform/jobs/sweeps';

/** Does the timed work apart from the service, which then runs with RUN_WORKER=false: `npm run start:worker`. */
void runCommand('The worker cannot start', async (app) => {
  app.get(Sweeps).start();
  say('The worker does what is due, every second');
  await new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
  return 0; // closing the modules lets the sweep that is under way finish
});
