// Loaded before a measured process (`node --import`): reports its CPU time and records profiles for the parent process.
import { Session } from 'node:inspector/promises';
import { isMainThread } from 'node:worker_threads';

const session = new Session();

const answers = {
  /** User and system time so far, in milliseconds. */
  cpuMs: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  startProfile: async () => {
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: 200 });
    await session.post('Profiler.start');
  },
  stopProfile: async () => {
    const { profile } = await session.post('Profiler.stop');
    session.disconnect();
    return profile;
  },
};

if (isMainThread) {
  process.on('message', async ({ ask }) => process.send({ answer: await answers[ask]() }));
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM')); // the benchmark was interrupted
  process.channel.unref(); // a process that has ended its work exits although the parent listens
}
