/** Sends one request after the other on every connection. @returns the responses per second */
export async function rateOf(connections, nextRequest, seconds) {
  const begun = performance.now();
  const until = begun + seconds * 1000;
  let done = 0;
  const work = async (connection) => {
    while (performance.now() < until) {
      await connection.send(nextRequest());
      done += 1;
    }
  };
  await Promise.all(connections.map(work));
  return { perSecond: (done * 1000) / (performance.now() - begun), requests: done };
}

/**
 * Sends requests at a fixed rate, whether or not earlier ones have been answered; a request waits while all connections
 * are in use. @returns the times from the moment a request was due to its response, in milliseconds, ascending
 */
export async function latenciesAt(perSecond, connections, nextRequest, until) {
  const idle = [...connections];
  const due = [];
  const latencies = [];
  const pending = new Set();
  const begun = performance.now();
  let requests = 0;
  const start = () => {
    while (idle.length > 0 && due.length > 0) {
      const connection = idle.pop();
      const dueAt = due.shift();
      const sent = connection.send(nextRequest()).then(() => {
        latencies.push(performance.now() - dueAt);
        idle.push(connection);
        pending.delete(sent);
        start();
      });
      pending.add(sent);
    }
  };
  while (!until(performance.now() - begun)) {
    const now = performance.now();
    for (; requests < ((now - begun) / 1000) * perSecond; requests += 1) due.push(now);
    start();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  while (pending.size > 0) await Promise.all(pending);
  return latencies.sort((a, b) => a - b);
}

/** @param ascending sorted numbers */
export function percentile(ascending, percent) {
  return ascending[Math.min(ascending.length - 1, Math.floor((ascending.length * percent) / 100))];
}

export function median(values) {
  return percentile(
    values.toSorted((a, b) => a - b),
    50,
  );
}
