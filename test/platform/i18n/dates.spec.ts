import { formatDateTime } from '../../../src/platform/i18n/formats';

/** Intl separates numbers and units with spaces of several widths. */
const withPlainSpaces = (text: string): string => text.replace(/[\u00a0\u202f]/g, ' ');

describe('Dates', () => {
  it('uses the time zone and names it', () => {
    const at = new Date('2026-12-31T23:30:00.000Z');
    expect(withPlainSpaces(formatDateTime(at, 'de', 'Europe/Berlin'))).toBe('1. Jan. 2027, 00:30 MEZ');
    expect(withPlainSpaces(formatDateTime(at, 'en', 'America/New_York'))).toBe('Dec 31, 2026, 6:30 PM EST');
  });
});
