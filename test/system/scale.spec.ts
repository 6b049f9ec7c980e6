import { spawnSync } from 'node:child_process';

interface Row {
  workers: number;
  loads: number[];
  mean: number;
  busiest: number;
  coordinator: number;
  disk: number;
}

interface Result {
  posts: number;
  rows: Row[];
  hottest: { share: number; busy: number };
  gigabytes: number;
  enough: number | null;
}

const SMALL = { accounts: 2_000, seed: 7 };

function run(options: Record<string, number>): { status: number | null; stdout: string; stderr: string } {
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, `${value}`]);
  return spawnSync(process.execPath, ['bench/scale.mjs', '--json', ...args], { encoding: 'utf8' });
}

function simulate(options: Record<string, number> = {}): Result {
  const { status, stdout, stderr } = run({ ...SMALL, ...options });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Result;
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);

describe('The simulation of a year', () => {
  const result = simulate();
  const { rows, hottest } = result;
  const distributed = rows.filter(({ workers }) => workers > 0);

  it('covers one server and 1 to 32 workers', () => {
    expect(rows.map(({ workers }) => workers)).toEqual([0, 1, 2, 4, 8, 16, 32]);
    expect(distributed.map(({ loads }) => loads.length)).toEqual([1, 2, 4, 8, 16, 32]);
  });

  it('gives all of the work to workers, whatever their number', () => {
    for (const { loads } of rows) expect(sum(loads)).toBeCloseTo(1, 9);
    for (const { mean, workers } of distributed) expect(mean * workers).toBeCloseTo(rows[0]!.mean, 9);
  });

  it('lowers the load of the busiest worker with more workers, but not below that of the largest account', () => {
    const busiest = distributed.map(({ loads }) => Math.max(...loads));
    expect(busiest).toEqual(busiest.toSorted((one, other) => other - one));
    expect(Math.min(...busiest)).toBeGreaterThanOrEqual(hottest.share);
    for (const { busiest: most, mean } of distributed) expect(most).toBeGreaterThanOrEqual(mean * (1 - 1e-9));
  });

  it('loads all workers alike when all accounts are alike, and unevenly when they are skewed', () => {
    const [even, skewed] = [0, 1.2].map((skew) => simulate({ skew, accounts: 20_000 }).rows[2]!);
    expect(even!.busiest / even!.mean).toBeLessThan(1.05);
    expect(skewed!.busiest / skewed!.mean).toBeGreaterThan(1.05);
  });

  it('gives the same result for the same seed, and another placement for another', () => {
    expect(simulate()).toEqual(result);
    expect(simulate({ seed: 8 }).rows[3]!.loads).not.toEqual(rows[3]!.loads);
  });

  it('follows its inputs in proportion', () => {
    const doubled = simulate({ transactions: 2e9 });
    expect(doubled.posts / result.posts).toBeCloseTo(2, 9);
    expect(doubled.gigabytes / result.gigabytes).toBeCloseTo(2, 9);
    expect(doubled.rows[4]!.busiest / rows[4]!.busiest).toBeCloseTo(2, 9);
    expect(doubled.rows[4]!.coordinator / rows[4]!.coordinator).toBeCloseTo(2, 9);
  });

  it('names the fewest servers on which nothing is fuller than it should be', () => {
    const measured = { postgresMsPerPost: 10, postgresMsPerGet: 0, citusRate: 1, bytesPerTransaction: 0 };
    const at = (peak: number) => simulate({ ...measured, skew: 0, cores: 1, full: 0.5, peak }).enough;
    expect([1, 2, 3, 5].map(at)).toEqual([0, 2, 2, 4]);
  });

  it('finds no number of workers enough for an account that is a limit by itself', () => {
    const hot = { largest: 0.5, hotPostsPerSecond: 100, cores: 64, disk: 1e6 };
    expect(simulate({ ...hot, peak: 5 }).enough).toBe(0);
    expect(simulate({ ...hot, peak: 10 }).enough).toBeNull();
    expect(simulate({ ...hot, peak: 10 }).hottest).toMatchObject({
      share: 0.5,
      busy: expect.closeTo(1.585, 2),
    });
  });

  it.each<Record<string, number>>([{ unknown: 1 }, { peak: NaN }, { peak: -1 }])(
    'rejects the option %j',
    (option) => {
      expect(run({ ...SMALL, ...option }).status).toBe(1);
    },
  );
});
