import { frozenCopy } from '../../src/kernel/extension-point';

class Invoice {
  number = 1;
  readonly issuedAt = new Date('2026-03-01T12:00:00.000Z');
  readonly hash = Buffer.from('ab');
  readonly metadata = { tags: ['new'], notes: [], payer: null };

  get label(): string {
    return `INV-${this.number}`;
  }

  renumber(): void {
    this.number += 1;
  }
}

describe('A frozen copy', () => {
  it('has the members, getters and class of the original', () => {
    const invoice = new Invoice();
    const copy = frozenCopy(invoice);
    expect(copy).toBeInstanceOf(Invoice);
    expect(copy).toEqual(invoice);
    expect(copy.label).toBe('INV-1');
  });

  it.each([
    ['its members', (copy: Invoice) => Object.assign(copy, { number: 2 })],
    ['new members', (copy: Invoice) => Object.assign(copy, { note: 'new' })],
    ['its members by a method', (copy: Invoice) => copy.renumber()],
    ['nested members', (copy: Invoice) => copy.metadata.tags.push('changed')],
  ])('rejects an assignment to %s', (_, change) => {
    const copy = frozenCopy(new Invoice());
    expect(() => change(copy)).toThrow(TypeError);
  });

  it('shares no date or buffer with the original', () => {
    const invoice = new Invoice();
    const copy = frozenCopy(invoice);
    copy.issuedAt.setTime(0);
    copy.hash.fill(0);
    expect(invoice).toEqual(new Invoice());
  });
});
