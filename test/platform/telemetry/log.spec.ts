import fs, { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Log, logFile } from '../../../src/platform/telemetry/log';
import { until } from '../../support/until';

const LINE = { request_id: 'one', method: 'GET', route: '/v1/account', status: 200, ms: 1 };

describe('The log', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countinghouse-log-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  afterEach(() => jest.restoreAllMocks());

  const aLog = (name: string) => {
    const file = join(folder, name);
    const log = new Log('info', logFile(file));
    return { log, lines: () => readFileSync(file, 'utf8').split('\n').filter(Boolean).map(parse) };
  };
  const parse = (line: string) => JSON.parse(line) as Record<string, unknown>;

  it('survives a full disk, and writes what it has kept when there is space again', async () => {
    const { log, lines } = aLog('full');
    const full = jest.spyOn(fs, 'writeSync').mockImplementation(() => {
      throw Object.assign(new Error('not logged'), { code: 'ENOSPC' });
    });
    for (let line = 0; line < 20_000; line += 1) log.request({ ...LINE, request_id: String(line) });
    log.notice('The service stops');
    expect(lines()).toEqual([]);
    full.mockRestore();
    log.notice('The service starts');
    expect(await until(() => lines().length > 0)).toBe(true);
    expect(lines()[0]).toMatchObject({ request_id: '0' });
    expect(lines().length).toBeLessThan(20_000);
    log.request({ ...LINE, request_id: 'later' });
    expect(await until(() => lines().at(-1)!.request_id === 'later')).toBe(true);
  });

  it('collects the lines of requests and writes them within moments, in order', async () => {
    const { log, lines } = aLog('requests');
    for (const request_id of ['one', 'two', 'three']) log.request({ ...LINE, request_id });
    expect(lines()).toEqual([]);
    expect(await until(() => lines().length === 3)).toBe(true);
    expect(lines().map(({ request_id }) => request_id)).toEqual(['one', 'two', 'three']);
  });

  it('writes events and errors at once, after the requests before them', () => {
    const { log, lines } = aLog('errors');
    log.request(LINE);
    log.failure('internal_error', new Error('not logged'), 'one');
    log.notice('The service stops');
    expect(lines().map(({ msg }) => msg)).toEqual(['request', 'internal_error', 'The service stops']);
  });

  it('writes a burst of errors without waiting for the disk and without warnings', async () => {
    const warned = jest.spyOn(process, 'emitWarning').mockReturnValue();
    const flushed = jest.spyOn(fs, 'fsync');
    const { log, lines } = aLog('burst');
    for (let index = 0; index < 50; index += 1) log.failure('unavailable', new Error('not logged'));
    expect(lines()).toHaveLength(50);
    await setImmediate();
    expect(warned).not.toHaveBeenCalled();
    expect(flushed).not.toHaveBeenCalled();
  });

  it('has one line for each entry, whatever its values contain', () => {
    const { log, lines } = aLog('forged');
    const code = '"}\n{"msg":"forged"}\r\n\u2028\u001b[2J';
    log.failure('unavailable', Object.assign(new Error('not logged'), { code }));
    expect(lines()).toMatchObject([{ msg: 'unavailable', error: { code } }]);
  });

  it('describes the causes of an error by kind and code, without their messages', () => {
    const { log, lines } = aLog('causes');
    const deadlock = Object.assign(new Error('not logged'), { code: '40P01' });
    log.failure(
      'unavailable',
      new TypeError('not logged', { cause: new Error('nor this', { cause: deadlock }) }),
    );
    expect(lines()).toMatchObject([
      { error: { name: 'TypeError', cause: { name: 'Error', cause: { name: 'Error', code: '40P01' } } } },
    ]);
    expect(JSON.stringify(lines())).not.toMatch(/not logged|nor this/);
  });

  it('describes a bounded number of causes', () => {
    const { log, lines } = aLog('circular');
    const circular = new Error('not logged');
    circular.cause = circular;
    log.failure('internal_error', circular);
    expect(JSON.stringify(lines()).match(/"cause"/g)).toHaveLength(3);
  });

  it('writes many lines without waiting', () => {
    const { log, lines } = aLog('many');
    for (let index = 0; index < 1000; index += 1) log.request(LINE);
    expect(lines().length).toBeGreaterThan(900);
  });
});
