import { allPages, cutPage, PageRequest, reversed } from '../../src/kernel/pages';

describe('cutPage', () => {
  it('keeps the order of older items, newest first', () => {
    expect(cutPage([9, 8, 7], { limit: 3, startingAfter: '10' })).toEqual({
      items: [9, 8, 7],
      hasMore: false,
    });
    expect(cutPage([9, 8, 7, 6], { limit: 3, startingAfter: '10' })).toEqual({
      items: [9, 8, 7],
      hasMore: true,
    });
    expect(cutPage([9, 8], { limit: 3 })).toEqual({ items: [9, 8], hasMore: false });
  });

  it('reverses newer items and drops the extra row', () => {
    expect(cutPage([2, 3, 4], { limit: 3, endingBefore: '1' })).toEqual({ items: [4, 3, 2], hasMore: false });
    expect(cutPage([2, 3, 4, 5], { limit: 3, endingBefore: '1' })).toEqual({
      items: [4, 3, 2],
      hasMore: true,
    });
  });

  it('returns an empty page without rows', () => {
    expect(cutPage([], { limit: 1 })).toEqual({ items: [], hasMore: false });
    expect(cutPage([], { limit: 1, endingBefore: '1' })).toEqual({ items: [], hasMore: false });
  });
});

describe('The request of a page, reversed,', () => {
  it.each([
    ['the oldest items for the newest', {}, { endingBefore: '0' }],
    ['what is before an item for what is after it', { startingAfter: '5' }, { endingBefore: '5' }],
    ['what is after an item for what is before it', { endingBefore: '5' }, { startingAfter: '5' }],
  ])('asks for %s', (_, cursor, expected) => {
    expect(reversed({ limit: 3, ...cursor }, '0')).toEqual({ limit: 3, ...expected });
  });
});

describe('allPages', () => {
  it.each([
    [0, [1]],
    [99, [1]],
    [100, [1, 2]],
    [250, [1, 2, 3]],
  ])('reads a list of %d items in pages of 100', async (count, pages) => {
    const list = Array.from({ length: count }, (_, index) => index);
    const requests: PageRequest[] = [];
    const read: number[] = [];
    const source = async (request: PageRequest): Promise<number[]> => {
      requests.push(request);
      return list.slice((request.page - 1) * request.limit, request.page * request.limit);
    };
    for await (const items of allPages(source)) read.push(...items);
    expect(read).toEqual(list);
    expect(requests).toEqual(pages.map((page) => ({ page, limit: 100 })));
  });
});
