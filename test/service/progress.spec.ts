import { Progress } from '../../src/service/terminal';

/** A progress whose time the test sets. The erasing of a bar is left out of what it has written. */
function aProgress({ isTTY = false, isQuiet = false }) {
  const written: string[] = [];
  const write = (text: string): boolean => (text.startsWith('\u001b') ? true : written.push(text) > 0);
  const time = { ms: 5_000 };
  const progress = new Progress({ isTTY, write }, 'entries', isQuiet, () => time.ms);
  const after = (ms: number, done: number): void => {
    time.ms = 5_000 + ms;
    progress.update(done, 1_000_000);
  };
  return { after, progress, written };
}

describe('Progress', () => {
  it('is a line a second where there is no terminal', () => {
    const { after, progress, written } = aProgress({});
    after(400, 5_000);
    after(1_000, 100_000);
    after(1_900, 180_000);
    after(2_000, 200_000);
    progress.end();
    expect(written).toEqual([
      '10 %: 100,000 of 1,000,000 entries, 9 s left\n',
      '20 %: 200,000 of 1,000,000 entries, 8 s left\n',
    ]);
  });

  it('is a bar on a terminal, which is drawn ten times a second', () => {
    const { after, written } = aProgress({ isTTY: true });
    after(50, 5_000);
    after(100, 500_000);
    after(150, 600_000);
    after(200, 1_000_000);
    expect(written).toEqual([
      '[###############...............] 50 %: 500,000 of 1,000,000 entries, 1 s left',
      '[##############################] 100 %: 1,000,000 of 1,000,000 entries',
    ]);
  });

  it('is at most 100 % when more is done than was counted at first', () => {
    const { after, written } = aProgress({});
    after(1_000, 1_000_500);
    expect(written).toEqual(['100 %: 1,000,500 of 1,000,000 entries\n']);
  });

  it('is not shown when quiet', () => {
    const { after, written } = aProgress({ isQuiet: true });
    after(5_000, 500_000);
    expect(written).toEqual([]);
  });

  it('counts the seconds', () => {
    const { after, progress } = aProgress({});
    after(2_500, 0);
    expect(progress.seconds).toBe(2.5);
  });
});
