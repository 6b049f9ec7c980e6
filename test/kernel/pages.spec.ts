import { cutPage } from '../../src/kernel/pages';

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
