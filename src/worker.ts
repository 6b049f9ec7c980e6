import { runCommand, say } from './command';
import { JobQueue } from './platform/jobs/job-queue';
import { startTimedWork } from './service';

/** Does the timed work apart from the service, which then runs with RUN_WORKER=false: `npm run start:worker`. */
void runCommand('The worker cannot start', async (app) => {
  await app.get(JobQueue).prepare();
  await startTimedWork(app);
  say('The worker does what is due, every second');
  await new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
  return 0; // closing the modules lets what is under way finish
});
