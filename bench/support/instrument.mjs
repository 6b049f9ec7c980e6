// Loaded before a measured process (`node --import`): reports its CPU time, and records profiles and statements for the
// parent process.
import cluster from 'node:cluster';
import { Session } from 'node:inspector/promises';
import { createRequire } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const session = new Session();
const require = createRequire(import.meta.url);
const { Client } = require('pg');
const sendQuery = Client.prototype.query;
let statements = [];

const ownCpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Requests are logged and have versions from now on, or neither. */
const logAndVersionRequests = (() => {
  let original;
  return (isOn) => {
    const { RequestLog } = require('../../dist/src/modules/accounts/request-log/request-log.service.js');
    const { VersionGuard } = require('../../dist/src/platform/http/requested-version.js');
    original ??= { record: RequestLog.prototype.record, canActivate: VersionGuard.prototype.canActivate };
    RequestLog.prototype.record = isOn ? original.record : () => undefined;
    VersionGuard.prototype.canActivate = isOn ? original.canActivate : useNewestVersion;
  };
})();

function useNewestVersion(context) {
  context.switchToHttp().getRequest().version = this.versions.newest;
  return true;
}

const answers = {
  /** User and system time so far, in milliseconds, also of server processes (WEB_CONCURRENCY). */
  cpuMs: async () => {
    const children = Object.values(cluster.workers ?? {}).map(
      (child) =>
        new Promise((resolve) => {
          child.once('message', ({ cpuMs }) => resolve(cpuMs));
          child.send({ ask: 'cpuMs' });
        }),
    );
    return (await Promise.all(children)).reduce((sum, ms) => sum + ms, ownCpuMs());
  },
  /** The memory of the process, in bytes. */
  memory: () => process.memoryUsage(),
  /** Sets the part of the requests that is traced from now on. */
  recordNewTraces: (part) => require('../../dist/src/platform/telemetry/spans.js').recordNewTraces(part),
  logAndVersionRequests,
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
  startRecording: () => {
    statements = [];
    Client.prototype.query = function query(...args) {
      const [{ text, values = [] }] = args;
      if (text !== undefined) statements.push({ text, values });
      return sendQuery.apply(this, args);
    };
  },
  /** The prepared statements since then, with their values. */
  stopRecording: () => {
    Client.prototype.query = sendQuery;
    return statements;
  },
};

// A benchmark asks the process that it has started, which adds its server processes, if it has some.
if (isMainThread && cluster.isPrimary) {
  process.on('message', async ({ ask, with: argument }) =>
    process.send({ answer: await answers[ask](argument) }),
  );
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM')); // the benchmark was interrupted
  process.channel.unref(); // a process that has ended its work exits although the parent listens
} else if (isMainThread) {
  process.on('message', ({ ask }) => ask === 'cpuMs' && process.send({ cpuMs: ownCpuMs() }));
}
